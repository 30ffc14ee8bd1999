package io.rowlock.servers;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.rowlock.test.embedded.FreePort;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A cluster of three masters on loopback, with a replica each or none. */
public final class ThreeMasters implements AutoCloseable {
    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;
    private static final long START = TimeUnit.SECONDS.toNanos(60);

    private final List<RedisServer> nodes = new ArrayList<>();

    private ThreeMasters() {}

    public static ThreeMasters start() throws Exception {
        return start(MASTERS, "5000", Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** One that replaces a master about a second after its death. */
    public static ThreeMasters startWithReplicas() throws Exception {
        return startWithReplicas(Path.of(System.getProperty("java.io.tmpdir")));
    }

    /**
     * One whose nodes keep what they have.
     *
     * @param options of each node
     */
    public static ThreeMasters startWithReplicas(Path directory, String... options) throws Exception {
        ThreeMasters cluster = start(2 * MASTERS, "1000", directory, options);
        for (int i = 0; i < MASTERS; i++) {
            cluster.replicate(cluster.nodes.get(i), cluster.nodes.get(MASTERS + i));
        }
        cluster.awaitOk();
        return cluster;
    }

    private static ThreeMasters start(int count, String timeoutMillis, Path directory, String... options)
            throws Exception {
        ThreeMasters cluster = new ThreeMasters();
        try {
            for (int i = 0; i < count; i++) {
                cluster.nodes.add(node(timeoutMillis, directory, options));
            }
        } catch (IOException e) {
            cluster.close();
            assumeTrue(false, "no cluster can be started: " + e.getMessage());
        }
        cluster.join();
        return cluster;
    }

    private static RedisServer node(String timeoutMillis, Path directory, String... options) throws IOException {
        int port = FreePort.find();
        String name = "rowlock-" + UUID.randomUUID() + ".conf";
        directory.resolve(name).toFile().deleteOnExit();
        List<String> all = new ArrayList<>(List.of(
                "--cluster-enabled",
                "yes",
                "--cluster-config-file",
                name,
                "--cluster-port",
                String.valueOf(port),
                "--cluster-node-timeout",
                timeoutMillis,
                "--repl-diskless-sync-delay",
                "0",
                "--dir",
                directory.toString(),
                "--dbfilename",
                "rowlock-" + port + ".rdb",
                "--appenddirname",
                "rowlock-" + port));
        all.addAll(List.of(options));
        return RedisServer.start(all.toArray(String[]::new));
    }

    private void join() throws InterruptedException {
        for (int i = 0; i < nodes.size(); i++) {
            int number = i;
            RedisClient client = RedisClient.create(nodes.get(i).uri());
            try {
                RedisCommands<String, String> node = client.connect().sync();
                if (number < MASTERS) {
                    int from = SLOTS * number / MASTERS;
                    node.clusterAddSlots(IntStream.range(from, SLOTS * (number + 1) / MASTERS)
                            .toArray());
                }
                node.configSet("cluster-require-full-coverage", "yes");
                if (number > 0) {
                    meet(node);
                }
            } finally {
                client.shutdown();
            }
        }
        awaitOk();
    }

    private void meet(RedisCommands<String, String> node) {
        RedisServer first = nodes.get(0);
        RedisClient client = RedisClient.create(first.uri());
        try {
            String port = client.connect().sync().configGet("cluster-port").get("cluster-port");
            node.dispatch(
                    CommandType.CLUSTER,
                    new StatusOutput<>(StringCodec.UTF8),
                    new CommandArgs<>(StringCodec.UTF8)
                            .add("MEET")
                            .add("127.0.0.1")
                            .add(first.port())
                            .add(port));
        } finally {
            client.shutdown();
        }
    }

    private void replicate(RedisServer master, RedisServer replica) throws InterruptedException {
        RedisClient first = RedisClient.create(master.uri());
        RedisClient second = RedisClient.create(replica.uri());
        try {
            second.connect().sync().clusterReplicate(first.connect().sync().clusterMyId());
            ReplicationLink.awaitInSync(master);
        } finally {
            first.shutdown();
            second.shutdown();
        }
    }

    private void awaitOk() throws InterruptedException {
        long end = System.nanoTime() + START;
        for (RedisServer node : nodes) {
            RedisClient client = RedisClient.create(node.uri());
            try {
                RedisCommands<String, String> commands = client.connect().sync();
                while (!commands.clusterInfo().contains("cluster_state:ok")
                        || !commands.clusterInfo().contains("cluster_known_nodes:" + nodes.size())) {
                    assumeTrue(System.nanoTime() - end < 0, "the cluster did not come up");
                    TimeUnit.MILLISECONDS.sleep(50);
                }
            } finally {
                client.shutdown();
            }
        }
    }

    /** A key that is on the first master and begins like that. */
    public static String keyOfTheFirst(String name) {
        for (int i = 0; ; i++) {
            if (SlotHash.getSlot(name + i) < SLOTS / MASTERS) {
                return name + i;
            }
        }
    }

    /** Each of them has a third of all keys. */
    public List<RedisServer> masters() {
        return List.copyOf(nodes.subList(0, MASTERS));
    }

    /** All of them, also replicas. */
    public List<RedisServer> nodes() {
        return nodes;
    }

    public List<RedisURI> uris() {
        return nodes.stream().map(node -> RedisURI.create(node.uri())).toList();
    }

    @Override
    public void close() {
        nodes.forEach(RedisServer::stop);
    }
}
