package io.rowlock.stress;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Does to servers what happens to them: they stand still, end connections, forget their scripts. */
final class RedisDisturber implements AutoCloseable {
    private final List<RedisServer> servers;
    private final List<RedisClient> clients = new ArrayList<>();
    private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
    private final int messages;
    private final Oracle oracle;

    /** @param messages of a hundred connections that end, how many bring messages */
    RedisDisturber(List<RedisServer> servers, int messages, Oracle oracle) {
        this.servers = servers;
        this.messages = messages;
        this.oracle = oracle;
        for (RedisServer server : servers) {
            RedisClient client = RedisClient.create(server.uri());
            clients.add(client);
            connections.add(client.connect());
        }
    }

    /** Commands on the way are lost, or messages. */
    void kill(Dice dice) {
        dice.pause(100, 1_000);
        boolean bringsMessages = dice.percent(messages);
        KillArgs all = bringsMessages ? KillArgs.Builder.typePubsub() : KillArgs.Builder.typeNormal();
        try {
            oracle.count(
                    "connections killed, " + (bringsMessages ? "messages" : "commands"),
                    dice.of(connections).sync().clientKill(all.skipme(true)));
        } catch (RedisException e) {
            oracle.count("kills that failed");
        }
    }

    void flush(Dice dice) {
        dice.pause(300, 3_000);
        try {
            dice.of(connections).sync().scriptFlush();
            oracle.count("times a server forgot its scripts");
        } catch (RedisException e) {
            oracle.count("flushes that failed");
        }
    }

    /** Mostly for less than a lease lasts, now and then for longer than anything. */
    void pause(Dice dice) {
        dice.pause(500, 3_000);
        RedisServer server = dice.of(servers);
        signal("STOP", server);
        try {
            dice.pause(20, dice.percent(30) ? 1_500 : 300);
        } finally {
            signal("CONT", server);
        }
        oracle.count("times a server stood still");
    }

    /** All threads of all nodes, for longer than a promise lasts: messages and answers wait meanwhile, leases do not. */
    void stopTheWorld(Dice dice) {
        dice.pause(500, 2_500);
        String script = "kill -STOP $0; sleep $1; kill -CONT $0";
        String seconds = "0." + dice.between(420, 900);
        run("sh", "-c", script, String.valueOf(ProcessHandle.current().pid()), seconds);
        oracle.count("times all nodes stood still");
    }

    private static void signal(String signal, RedisServer server) {
        run("kill", "-" + signal, String.valueOf(server.pid()));
    }

    private static void run(String... command) {
        try {
            int unused = new ProcessBuilder(command).start().waitFor();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        clients.forEach(RedisClient::shutdown);
    }
}
