package io.rowlock.verification.fault;

import io.rowlock.servers.ThreeMasters;
import io.rowlock.test.redis.RedisServer;
import io.rowlock.verification.fault.Fault.End;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A server of Redis, three behind Sentinel, or a cluster of three with a replica each, set up as the page on Redis says. Each hands its changes
 * to the system before it answers, so that a kill loses nothing of its own.
 */
public final class Redis implements AutoCloseable {
    /** A single server. */
    public static final String ONE = "one";

    /** The name of the leader for Sentinel. */
    public static final String NAME = "locks";

    private static final int SLOTS = 16_384;
    private static final int MASTERS = 3;
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String[] KEPT = {"--appendonly", "yes", "--appendfsync", "no"};

    private final List<RedisShard> shards;
    private final Optional<RedisNode> sentinel;
    private volatile boolean closed;

    /** Hears of leaders that were replaced. */
    public interface Watch {
        /**
         * The former leader does not lead any more.
         *
         * @param firstSlot of the keys concerned
         * @param since when another may have led
         * @param until when the former one may have
         */
        void failedOver(int firstSlot, int lastSlot, long since, long until);
    }

    private Redis(List<RedisShard> shards, Optional<RedisNode> sentinel) {
        this.shards = shards;
        this.sentinel = sentinel;
    }

    /** @param kind {@code one}, {@code sentinel} or {@code cluster} */
    public static Redis open(String kind, Path directory) throws Exception {
        Files.createDirectories(directory);
        return switch (kind) {
            case ONE -> {
                RedisNode node = node(directory, "one");
                yield new Redis(
                        List.of(new RedisShard(List.of(node), Optional.empty(), 0, SLOTS - 1)), Optional.empty());
            }
            case "sentinel" -> behindSentinel(directory);
            case "cluster" -> cluster(directory);
            default -> throw new IllegalArgumentException("Redis is one, sentinel or cluster, not " + kind);
        };
    }

    private static RedisNode node(Path directory, String name, String... options) throws IOException {
        Path own = Files.createDirectory(directory.resolve(name));
        return new RedisNode(RedisServer.start(Stream.of(KEPT, new String[] {"--dir", own.toString()}, options)
                .flatMap(Stream::of)
                .toArray(String[]::new)));
    }

    private static Redis behindSentinel(Path directory) throws IOException {
        String[] options = {"--repl-diskless-sync-delay", "0", "--min-replicas-to-write", "1"};
        List<RedisNode> nodes = new ArrayList<>();
        nodes.add(node(directory, "0", options));
        String leader = "127.0.0.1 " + nodes.get(0).port();
        for (String name : List.of("1", "2")) {
            nodes.add(node(
                    directory,
                    name,
                    Stream.concat(Stream.of(options), Stream.of("--replicaof", leader))
                            .toArray(String[]::new)));
        }
        Path file = Files.writeString(directory.resolve("sentinel.conf"), """
                sentinel monitor %1$s %2$s 1
                sentinel down-after-milliseconds %1$s 1000
                sentinel failover-timeout %1$s 5000
                """.formatted(NAME, leader));
        RedisNode sentinel =
                new RedisNode(RedisServer.start(file.toString(), "--sentinel", "--dir", directory.toString()));
        Redis redis =
                new Redis(List.of(new RedisShard(nodes, Optional.of(sentinel), 0, SLOTS - 1)), Optional.of(sentinel));
        redis.settle();
        return redis;
    }

    private static Redis cluster(Path directory) throws Exception {
        List<RedisNode> nodes = ThreeMasters.startWithReplicas(directory, KEPT).nodes().stream()
                .map(RedisNode::new)
                .toList();
        List<RedisShard> shards = new ArrayList<>();
        for (int i = 0; i < MASTERS; i++) {
            shards.add(new RedisShard(
                    List.of(nodes.get(i), nodes.get(MASTERS + i)),
                    Optional.empty(),
                    SLOTS * i / MASTERS,
                    SLOTS * (i + 1) / MASTERS - 1));
        }
        return new Redis(shards, Optional.empty());
    }

    /** @return all that nodes connect to */
    public List<Integer> ports() {
        return Stream.concat(shards.stream().flatMap(shard -> shard.nodes().stream()), sentinel.stream())
                .map(Server::port)
                .toList();
    }

    /**
     * @param through the port through which nodes reach a server
     * @return where they find the servers
     */
    public String address(IntUnaryOperator through) {
        List<RedisNode> nodes =
                shards.stream().flatMap(shard -> shard.nodes().stream()).toList();
        if (sentinel.isPresent()) {
            return "sentinel:127.0.0.1:" + sentinel.get().port();
        }
        return nodes.size() == 1
                ? "redis://127.0.0.1:" + through.applyAsInt(nodes.get(0).port())
                : "cluster:"
                        + nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
    }

    /** Watches who leads, until {@link #endWatch}. */
    public void watch(Watch watch) {
        List<RedisShard> several =
                shards.stream().filter(shard -> shard.nodes().size() > 1).toList();
        Thread thread = new Thread(
                () -> {
                    while (!closed) {
                        several.forEach(shard -> shard.look(watch));
                        Fault.last(LOOK);
                    }
                },
                "redis-watch");
        thread.setDaemon(true);
        thread.start();
    }

    /** Tells of what is not over. */
    public void endWatch(Watch watch) {
        closed = true;
        shards.forEach(shard -> shard.end(watch));
    }

    private RedisShard any(Random random) {
        return shards.get(random.nextInt(shards.size()));
    }

    End killed(Random random) throws IOException {
        RedisNode leader = any(random).leader();
        End end = leader.killed();
        return () -> {
            end.end();
            settle();
        };
    }

    End paused(Random random) throws IOException {
        End end = Server.paused(any(random).leader().pid());
        return () -> {
            end.end();
            settle();
        };
    }

    /** @param nanos for a tenth of that the leader's last writes may reach no replica */
    End failedOver(Random random, long nanos) throws IOException {
        RedisShard shard = any(random);
        RedisNode leader = shard.leader();
        if (random.nextBoolean()) {
            shard.exchange();
            return () -> {
                shard.awaitAnother(leader);
                settle();
            };
        }
        if (random.nextBoolean()) {
            shard.cut();
            Fault.last(nanos / 10);
        }
        leader.kill();
        return () -> {
            try {
                shard.awaitAnother(leader);
            } finally {
                leader.restart();
            }
            settle();
        };
    }

    private void settle() throws IOException {
        for (RedisShard shard : shards) {
            shard.settle();
        }
    }

    /** Each leader runs it. */
    void command(String text) throws IOException {
        for (RedisShard shard : shards) {
            shard.leader().command(text);
        }
    }

    /** @return how many keys there are */
    public long keys() throws IOException {
        long keys = 0;
        for (RedisShard shard : shards) {
            keys += Long.parseLong(shard.leader().command("DBSIZE"));
        }
        return keys;
    }

    @Override
    public void close() {
        closed = true;
        sentinel.ifPresent(RedisNode::close); // first, so that it looks for no server any more
        shards.forEach(shard -> shard.nodes().forEach(RedisNode::close));
    }
}
