package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The slots of a cluster: keys that look like hash tags, and a slot that no node serves. */
@OnRedis
@Tag("full")
class ClusterSlotTests {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final AtomicLong NONCES = new AtomicLong(System.nanoTime() >>> 1);
    private static ThreeMasters cluster;
    private static TestRedis redis;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeMasters.start();
        redis = new TestRedis(cluster.uris());
    }

    @AfterAll
    static void stop() {
        if (redis != null) {
            redis.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static LeaseRequest request(String key) {
        return request(key, LockMode.EXCLUSIVE);
    }

    private static LeaseRequest request(String key, LockMode mode) {
        return new LeaseRequest(key, mode, "owner", TTL, NONCES.incrementAndGet(), TTL, 0);
    }

    private static Lease taken(RedisLockStore store, String key) {
        return ((Attempt.Taken) store.tryAcquire(request(key))).lease();
    }

    @Test
    void keysThatLookLikeHashTagsAreKeysLikeOthers() {
        RedisLockStore store = redis.store();
        List<String> keys = List.of(
                "}x",
                "a{b",
                "%7B",
                "{}",
                "{x}y",
                "a\0b",
                "x".repeat(255),
                "}".repeat(255),
                "\u4e00\u53f7",
                "\u4e8c\u53f7");
        List<Lease> leases = new ArrayList<>();
        keys.forEach(key -> leases.add(taken(store, key)));
        assertThat(store.renew(leases, TTL).values()).hasSize(keys.size()).containsOnly(Renewal.RENEWED);
        for (String key : keys) {
            assertThat(store.tryAcquire(request(key))).isInstanceOf(Attempt.Busy.class);
            assertThat(store.inspection().orElseThrow().page(KeyRange.of(key), 10))
                    .anySatisfy(lock -> assertThat(lock.key()).isEqualTo(key));
        }
        leases.forEach(lease -> assertThat(store.release(lease)).isTrue());
    }

    /** The answer for it is known at once, and the others are renewed. */
    @Test
    void slotThatIsDownTouchesNoOther() {
        RedisLockStore store = redis.store();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            leases.add(taken(store, "slot" + i));
        }
        Lease unlucky = leases.get(5);
        int slot = SlotHash.getSlot(new LockKeys("rowlock:").gate(unlucky.key()));
        onEach(node -> node.configSet("cluster-require-full-coverage", "no"));
        onOwner(slot, node -> node.clusterDelSlots(slot));
        try {
            Map<Lease, Renewal> outcome = store.renew(leases, TTL);
            assertThat(outcome).hasSize(12).containsEntry(unlucky, Renewal.UNKNOWN);
            assertThat(outcome.values()).filteredOn(Renewal.RENEWED::equals).hasSize(11);
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> store.tryAcquire(request(unlucky.key())))
                    .withMessageContaining("does not serve the slot of this key")
                    .isNotInstanceOf(UncertainOutcomeException.class);
            assertThat(store.release(leases.get(4))).isTrue();
        } finally {
            onOwner(slot, node -> node.clusterAddSlots(slot));
        }
        // The client may have seen the cluster without the slot meanwhile; until it looks again, no lease has an answer
        await().ignoreExceptionsInstanceOf(LockStoreException.class)
                .until(() -> store.renew(List.of(unlucky), TTL).containsValue(Renewal.RENEWED));
    }

    /** Keys move one after the other, so the four of a lock are on two nodes for a while. The server answers TRYAGAIN. */
    @Test
    void slotThatMigratesIsAnOutageAndLetsNobodyIn() {
        RedisLockStore store = redis.store();
        Lease reader = ((Attempt.Taken) store.tryAcquire(request("moving", LockMode.SHARED))).lease();
        int slot = SlotHash.getSlot(new LockKeys("rowlock:").gate(reader.key()));
        RedisServer source = cluster.nodes().get(3 * slot / SlotHash.SLOT_COUNT);
        RedisServer target = cluster.nodes().get((3 * slot / SlotHash.SLOT_COUNT + 1) % 3);
        String from = idOf(source);
        String to = idOf(target);
        on(target, node -> node.clusterSetSlotImporting(slot, from));
        on(source, node -> node.clusterSetSlotMigrating(slot, to));
        on(source, node -> {
            List<String> keys = node.clusterGetKeysInSlot(slot, 10);
            assertThat(keys).hasSizeGreaterThan(1);
            for (String key : keys) {
                assertNobodyComesIn(store, reader);
                node.migrate("127.0.0.1", target.port(), key, 0, TTL.toMillis());
            }
        });
        assertNobodyComesIn(store, reader);
        on(target, node -> node.clusterSetSlotNode(slot, to));
        onEach(node -> node.clusterSetSlotNode(slot, to));
        await().ignoreExceptionsInstanceOf(LockStoreException.class)
                .until(() -> store.renew(List.of(reader), TTL).containsValue(Renewal.RENEWED));
        Attempt writer = store.tryAcquire(request("moving"));
        assertThat(writer).isInstanceOf(Attempt.Draining.class);
        assertThat(store.release(((Attempt.Draining) writer).lease())).isTrue();
        assertThat(store.release(reader)).isTrue();
        assertThat(taken(store, "moving").fence()).isGreaterThan(reader.fence());
    }

    private static void assertNobodyComesIn(RedisLockStore store, Lease reader) {
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> store.tryAcquire(request("moving")))
                .withMessageContaining("does not serve the slot of this key")
                .isNotInstanceOf(UncertainOutcomeException.class);
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> store.renew(List.of(reader), TTL));
    }

    private static String idOf(RedisServer server) {
        List<String> id = new ArrayList<>();
        on(server, node -> id.add(node.clusterMyId()));
        return id.get(0);
    }

    /** Its answer is not waited for until the others are lost. */
    @Test
    void masterThatIsSilentHoldsUpNoRenewalOnTheOthers() throws Exception {
        RedisSettings patience = new RedisSettings(
                "rowlock:",
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofHours(1),
                Duration.ofSeconds(3),
                Duration.ofSeconds(1),
                0,
                Duration.ofSeconds(1));
        ClientResources shared = DefaultClientResources.create();
        RedisClusterClient client =
                RedisClusterClient.create(LettuceOptions.resources(shared, patience), cluster.uris());
        try (RedisLockStore patient = RedisLockStore.cluster(client, patience)) {
            Lease silent = taken(patient, ThreeMasters.keyOfTheFirst("silent"));
            Lease alive = taken(patient, keyOfAnother());
            List<Lease> both = List.of(silent, alive);
            assertThat(patient.renew(both, TTL).values()).containsOnly(Renewal.RENEWED);
            Duration ttl = Duration.ofSeconds(12);
            signal("STOP");
            try {
                long sent = System.nanoTime();
                assertThat(patient.renew(both, ttl))
                        .containsEntry(silent, Renewal.UNKNOWN)
                        .containsEntry(alive, Renewal.RENEWED);
                assertThat(Duration.ofNanos(System.nanoTime() - sent)).isLessThan(ttl);
            } finally {
                signal("CONT");
            }
            await().ignoreExceptionsInstanceOf(LockStoreException.class)
                    .until(() -> patient.renew(List.of(silent), TTL).containsValue(Renewal.RENEWED));
        } finally {
            client.shutdown();
            var unused = shared.shutdown();
        }
    }

    private static String keyOfAnother() {
        String key = "alive";
        while (SlotHash.getSlot(key) < SlotHash.SLOT_COUNT / 2) {
            key += "e";
        }
        return key;
    }

    private static void signal(String signal) throws Exception {
        new ProcessBuilder(
                        "kill",
                        "-" + signal,
                        String.valueOf(cluster.masters().get(0).pid()))
                .start()
                .waitFor();
    }

    @FunctionalInterface
    private interface OnNode {
        void run(RedisCommands<String, String> node);
    }

    private static void onEach(OnNode action) {
        cluster.nodes().forEach(node -> on(node, action));
    }

    /** The slots were shared out in thirds. */
    private static void onOwner(int slot, OnNode action) {
        on(cluster.nodes().get(3 * slot / SlotHash.SLOT_COUNT), action);
    }

    private static void on(RedisServer server, OnNode action) {
        RedisClient client = RedisClient.create(server.uri());
        try {
            action.run(client.connect().sync());
        } finally {
            client.shutdown();
        }
    }
}
