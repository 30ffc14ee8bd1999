package io.rowlock.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.LockMode;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.store.redis.LettuceOptions;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.test.FullBuild;
import io.rowlock.test.RunReport;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Nodes that fight for locks in Redis while its servers and they themselves stand still, connections end and scripts are
 * forgotten, and an oracle that judges each grant: whether it overlaps another, and whether its token is greater than those before it. Runs for five seconds, or for
 * {@code -Drowlock.test.stress.seconds}; {@code -Drowlock.test.stress.seed} repeats a run's choices, though not its timing.
 */
@OnRedis
@ExtendWith(WithoutLog.class)
@Tag(FullBuild.TOO)
class RedisStressTests {
    private static final int SECONDS = Integer.getInteger("rowlock.test.stress.seconds", 5);
    private static final long SEED = Long.getLong("rowlock.test.stress.seed", System.nanoTime());
    private static final int NODES = 3;
    private static final int THREADS = 6;

    private final ClientResources resources =
            LettuceOptions.resources(DefaultClientResources.create(), RedisNode.SETTINGS);
    private final List<RedisNode> nodes = new ArrayList<>();
    private final List<AbstractRedisClient> clients = new ArrayList<>();
    private final Oracle oracle = new Oracle();

    @AfterEach
    void close() {
        nodes.forEach(RedisNode::close);
        clients.forEach(AbstractRedisClient::shutdown);
        var unused = resources.shutdown();
    }

    @Test
    void oneServerNeverLetsTwoIn() throws Exception {
        RedisServer server = server();
        try {
            stress(
                    Load.MIXED,
                    List.of(server),
                    () -> RedisLockStore.standalone(
                            used(RedisClient.create(resources, server.uri())), RedisNode.SETTINGS));
        } finally {
            server.stop();
        }
    }

    /** It is shut down at the end. */
    private <C extends AbstractRedisClient> C used(C client) {
        clients.add(client);
        return client;
    }

    private static RedisServer server() {
        try {
            return RedisServer.start();
        } catch (IOException e) {
            assumeTrue(false, e.getMessage());
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Tag("full")
    void clusterNeverLetsTwoIn() throws Exception {
        try (ThreeMasters cluster = ThreeMasters.start()) {
            stress(
                    Load.MIXED,
                    cluster.masters(),
                    () -> RedisLockStore.cluster(
                            used(RedisClusterClient.create(resources, cluster.uris())), RedisNode.SETTINGS));
        }
    }

    /** Waiters miss what they are promised more often than not, and ask too late. */
    @Test
    @Tag("full")
    void permitsThatAreAskedForTooLateStayWithinTheirNumber() throws Exception {
        RedisServer server = server();
        try {
            stress(
                    Load.LATE_PERMITS,
                    List.of(server),
                    () -> RedisLockStore.standalone(
                            used(RedisClient.create(resources, server.uri())), RedisNode.SETTINGS));
        } finally {
            server.stop();
        }
    }

    /** Names the load, the disturbance, and the grants of which there must be some to judge. */
    private record Load(List<LockMode> modes, Keys keys, int late, int lostMessages, List<String> judged) {
        private static final Load MIXED = new Load(
                List.of(LockMode.values()),
                Keys.of("redis"),
                5,
                50,
                List.of(Oracle.WRITERS, Oracle.READERS, Oracle.PERMITS));
        private static final Load LATE_PERMITS = new Load(
                List.of(LockMode.SHARED, LockMode.PERMIT, LockMode.PERMIT, LockMode.PERMIT, LockMode.PERMIT),
                Keys.wanted("redis"),
                30,
                90,
                List.of(Oracle.PERMITS));
    }

    private void stress(Load load, List<RedisServer> servers, Supplier<RedisLockStore> opening) throws Exception {
        Crew crew = new Crew(SEED, oracle, load.judged);
        for (int i = 0; i < NODES; i++) {
            RedisNode node = new RedisNode("node-" + i, opening.get(), load.late, oracle);
            nodes.add(node);
            for (int thread = 0; thread < THREADS; thread++) {
                crew.hireOne(node.name, dice -> new RedisActor(node, load.modes, load.keys, oracle, dice)::once);
            }
        }
        try (RedisDisturber disturber = new RedisDisturber(servers, load.lostMessages, oracle)) {
            crew.hire("killer", disturber::kill);
            crew.hire("flusher", disturber::flush);
            crew.hire("pauser", disturber::pause);
            crew.hire("stopper", disturber::stopTheWorld);
            long start = System.nanoTime();
            crew.work(Duration.ofMillis(SECONDS * 500L));
            report(servers.size(), System.nanoTime() - start);
        }
        assertThat(oracle.violations()).isEmpty();
        assertThat(load.judged)
                .allSatisfy(grants -> assertThat(oracle.counted(grants)).isPositive());
    }

    private void report(int servers, long nanos) {
        StringBuilder text = new StringBuilder(
                "%nStress of Redis, %d servers, seed %d, %d ms%n".formatted(servers, SEED, nanos / 1_000_000));
        oracle.counts().forEach((what, count) -> text.append("%10d  %s%n".formatted(count.sum(), what)));
        text.append("%10d  violations%n".formatted(oracle.violations().size()));
        oracle.violations().stream()
                .limit(20)
                .forEach(violation ->
                        text.append("            ").append(violation).append('\n'));
        RunReport.add(text.toString());
    }
}
