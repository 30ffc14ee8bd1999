package io.rowlock.servers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.rowlock.test.redis.RedisServer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What a master sends to its replica. */
public final class ReplicationLink {
    private static final long LONG = TimeUnit.SECONDS.toNanos(60);

    private ReplicationLink() {}

    private static <T> T on(RedisServer server, Function<RedisCommands<String, String>, T> work) {
        RedisClient client = RedisClient.create(server.uri());
        try (var connection = client.connect()) {
            return work.apply(connection.sync());
        } finally {
            client.shutdown();
        }
    }

    /** Waits until the replica has all that the master has. */
    public static void awaitInSync(RedisServer master) throws InterruptedException {
        long end = System.nanoTime() + LONG;
        while (!on(master, commands -> isInSync(commands))) {
            assumeTrue(System.nanoTime() - end < 0, "the replica did not come up");
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static boolean isInSync(RedisCommands<String, String> master) {
        return master.info("replication").contains("state=online") && master.waitForReplication(1, 1_000) == 1;
    }

    /** A server ends its connections when it becomes one. */
    public static boolean isReplica(RedisServer server) {
        try {
            return on(server, commands -> commands.info("replication").contains("role:slave"));
        } catch (RedisException e) {
            return false;
        }
    }

    /** What is written from now on reaches no replica, as if the network between them were down. */
    public static void cut(RedisServer master) {
        long unused = on(master, commands -> {
            String unusedAnswer = commands.dispatch(
                    CommandType.ACL,
                    new StatusOutput<>(StringCodec.UTF8),
                    new CommandArgs<>(StringCodec.UTF8)
                            .add("SETUSER")
                            .add("default")
                            .add("-psync")
                            .add("-sync"));
            return commands.clientKill(KillArgs.Builder.typeSlave());
        });
    }
}
