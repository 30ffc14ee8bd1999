package io.rowlock.servers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A master, its replica, and a Sentinel that replaces the one with the other half a second after its death. */
public final class MasterAndReplica implements AutoCloseable {
    /** What the Sentinel calls the master. */
    public static final String NAME = "locks";

    private static final ProtocolKeyword SENTINEL = new ProtocolKeyword() {
        @Override
        public byte[] getBytes() {
            return "SENTINEL".getBytes(US_ASCII);
        }

        @Override
        @SuppressWarnings("deprecation") // there is no other way to name a command of one's own
        public String name() {
            return "SENTINEL";
        }
    };

    private final List<RedisServer> servers = new ArrayList<>();
    private final Path directory;

    private MasterAndReplica(Path directory) {
        this.directory = directory;
    }

    public static MasterAndReplica start() throws Exception {
        MasterAndReplica all = new MasterAndReplica(Files.createTempDirectory("rowlock-sentinel"));
        try {
            all.startServers();
        } catch (IOException e) {
            all.close();
            assumeTrue(false, "no Sentinel can be started: " + e.getMessage());
        }
        ReplicationLink.awaitInSync(all.master());
        return all;
    }

    private void startServers() throws IOException {
        String dir = directory.toString();
        servers.add(RedisServer.start("--dir", dir, "--dbfilename", "master.rdb", "--repl-diskless-sync-delay", "0"));
        String port = String.valueOf(master().port());
        servers.add(RedisServer.start("--dir", dir, "--dbfilename", "replica.rdb", "--replicaof", "127.0.0.1", port));
        Path file = Files.writeString(directory.resolve("sentinel.conf"), """
                sentinel monitor %1$s 127.0.0.1 %2$s 1
                sentinel down-after-milliseconds %1$s 500
                sentinel failover-timeout %1$s 5000
                """.formatted(NAME, port));
        servers.add(RedisServer.start(file.toString(), "--sentinel", "--dir", dir));
    }

    public RedisServer master() {
        return servers.get(0);
    }

    public RedisServer sentinel() {
        return servers.get(2);
    }

    /** Where clients ask who the master is. */
    public RedisURI uri() {
        return RedisURI.Builder.sentinel("127.0.0.1", sentinel().port(), NAME).build();
    }

    /** As an operator does it: the old master goes on as a replica. Returns when it is one. */
    public void exchange() throws InterruptedException {
        RedisClient client = RedisClient.create(sentinel().uri());
        try (var connection = client.connect()) {
            while (!isAskedToExchange(connection.sync())) {
                TimeUnit.MILLISECONDS.sleep(100); // Sentinel has not heard of the replica yet
            }
        } finally {
            client.shutdown();
        }
        while (!ReplicationLink.isReplica(master())) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static boolean isAskedToExchange(RedisCommands<String, String> sentinel) {
        try {
            return sentinel.dispatch(
                            SENTINEL,
                            new StatusOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8).add("FAILOVER").add(NAME))
                    .equals("OK");
        } catch (RedisCommandExecutionException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        Collections.reverse(servers); // Sentinel first, so that it looks for no server any more
        servers.forEach(RedisServer::stop);
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }
}
