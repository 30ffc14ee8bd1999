package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A master with a replica that must have a lease before it counts. */
@OnRedis
class MinReplicasTests {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final AtomicLong NONCES = new AtomicLong(System.nanoTime() >>> 1);
    private static final RedisSettings SETTINGS = RedisSettings.DEFAULT.withMinReplicas(1, Duration.ofMillis(500));

    private RedisServer master;
    private RedisServer replica;
    private RedisClient replicaClient;
    private RedisCommands<String, String> onReplica;
    private TestRedis redis;
    private RedisLockStore store;

    @BeforeEach
    void start() throws Exception {
        try {
            master = RedisServer.start();
            replica = RedisServer.start("--replicaof", "127.0.0.1", String.valueOf(master.port()));
        } catch (IOException e) {
            assumeTrue(false, "redis-server is not installed");
        }
        redis = new TestRedis(master);
        replicaClient = RedisClient.create(replica.uri());
        onReplica = replicaClient.connect().sync();
        awaitReplica();
        store = redis.store(SETTINGS);
    }

    private void awaitReplica() throws InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!redis.commands().info("replication").contains("state=online")) {
            assertThat(System.nanoTime() - end).as("the replica is there").isNegative();
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    @AfterEach
    void stop() {
        redis.close();
        replicaClient.shutdown();
        replica.stop();
        master.stop();
    }

    private void signalReplica(String signal) throws Exception {
        new ProcessBuilder("kill", "-" + signal, String.valueOf(replica.pid()))
                .start()
                .waitFor();
    }

    private static LeaseRequest request(String key, LockMode mode) {
        return new LeaseRequest(key, mode, "owner", TTL, NONCES.incrementAndGet(), TTL, 0);
    }

    private static Lease taken(RedisLockStore at, String key, LockMode mode) {
        return ((Attempt.Taken) at.tryAcquire(request(key, mode))).lease();
    }

    private void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable attempt) {
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(attempt)
                .withMessageContaining("0 of the 1 replicas that rowlock.redis.min-replicas asks for")
                .isNotInstanceOf(UncertainOutcomeException.class);
    }

    private void assertFree(String key) {
        assertThat(redis.store().inspection().orElseThrow().holders(key)).isEmpty();
    }

    @Test
    void replicaHasTheLeaseWhenItIsGranted() {
        for (int i = 0; i < 50; i++) {
            taken(store, "key" + i, LockMode.EXCLUSIVE);
            assertThat(onReplica.hget("rowlock:{key" + i + "}", "o")).isEqualTo("owner");
        }
    }

    @Test
    void fewerReplicasThanAskedForAreWarnedOf() {
        assertThat(store.report().warnings()).singleElement().asString().contains("after a fail-over");
        RedisLockStore demanding = redis.store(RedisSettings.DEFAULT.withMinReplicas(2, Duration.ofMillis(500)));
        assertThat(demanding.report().warnings())
                .hasSize(2)
                .last()
                .asString()
                .contains("min-replicas is 2, but the server has 1 connected");
    }

    @Test
    void storeWithTooFewReplicasIsNotUsableThoughItsServerAnswers() {
        StoreInspection inspection = store.inspection().orElseThrow();
        inspection.requireUsable();
        replica.stop();
        Awaitility.await().until(() -> redis.commands().info("replication").contains("connected_slaves:0"));
        inspection.requireRights();
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(inspection::requireUsable)
                .withMessageContaining("min-replicas is 1, but the server has 0 connected");
    }

    /** A server that is no master any more may keep its connections. */
    @Test
    void connectionOfAServerThatHasBecomeAReplicaIsNotUsedAgain() {
        taken(store, "before", LockMode.EXCLUSIVE);
        int connected = connected();
        ((RedisCommands<String, String>) redis.commands()).replicaof("127.0.0.1", 1);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> store.tryAcquire(request("after", LockMode.EXCLUSIVE)));
        Awaitility.await().until(() -> connected() == connected - 1);
    }

    @Test
    void noConnectionOfAServerThatHasBecomeAReplicaIsUsedAgain() throws Exception {
        RedisLockStore patient = redis.store(RedisSettings.DEFAULT.withMinReplicas(1, LONG));
        int before = connected();
        signalReplica("STOP");
        List<CompletableFuture<Attempt>> together;
        try {
            together = Stream.of("one", "two", "three")
                    .map(key -> CompletableFuture.supplyAsync(
                            () -> patient.tryAcquire(request(key, LockMode.EXCLUSIVE)),
                            task -> new Thread(task, key).start()))
                    .toList();
            Awaitility.await().until(() -> connected() == before + 3);
        } finally {
            signalReplica("CONT");
        }
        together.forEach(attempt -> assertThat(attempt).succeedsWithin(LONG));
        ((RedisCommands<String, String>) redis.commands()).replicaof("127.0.0.1", 1);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> patient.tryAcquire(request("after", LockMode.EXCLUSIVE)));
        Awaitility.await().until(() -> connected() == before);
    }

    private int connected() {
        return redis.commands().clientList().lines().toList().size();
    }

    @Test
    void leaseThatTheReplicaDoesNotHaveIsNone() throws Exception {
        signalReplica("STOP");
        try {
            assertRefused(() -> store.tryAcquire(request("exclusive", LockMode.EXCLUSIVE)));
            assertRefused(() -> store.tryAcquire(request("shared", LockMode.SHARED)));
            for (String key : List.of("exclusive", "shared")) {
                assertFree(key);
            }
        } finally {
            signalReplica("CONT");
        }
        // the replica has to read what it missed first
        Awaitility.await()
                .ignoreExceptionsInstanceOf(LockStoreException.class)
                .until(() -> store.release(taken(store, "exclusive", LockMode.EXCLUSIVE)));
    }

    @Test
    void leaseThatWasHandedOverCountsOnlyOnceTheReplicaHasIt() throws Exception {
        Lease held = taken(store, "key", LockMode.EXCLUSIVE);
        RedisLockStore other = redis.store(SETTINGS);
        LeaseRequest request = request("key", LockMode.EXCLUSIVE);
        QueuePosition waiter = other.queue().join(request).orElseThrow();
        assertThat(waiter.tryAcquire(request)).isInstanceOf(Attempt.Busy.class);
        signalReplica("STOP");
        try {
            assertThat(store.release(held)).isTrue();
            waiter.await(LONG);
            assertRefused(() -> waiter.tryAcquire(request));
            assertFree("key");
        } finally {
            signalReplica("CONT");
        }
        Attempt.Taken granted = (Attempt.Taken) waiter.tryAcquire(request);
        assertThat(granted.promise()).as("it has its ttl").isEmpty();
        assertThat(onReplica.hget("rowlock:{key}", "f"))
                .isEqualTo(String.valueOf(granted.lease().fence()));
    }

    @Test
    void attemptThatWaitsForReplicasHoldsUpNoOtherCall() throws Exception {
        RedisLockStore patient = redis.store(RedisSettings.DEFAULT.withMinReplicas(1, Duration.ofSeconds(2)));
        Lease held = taken(patient, "held", LockMode.EXCLUSIVE);
        signalReplica("STOP");
        try {
            CompletableFuture<Attempt> waiting =
                    CompletableFuture.supplyAsync(() -> patient.tryAcquire(request("slow", LockMode.EXCLUSIVE)));
            TimeUnit.MILLISECONDS.sleep(300);
            assertThat(patient.renew(List.of(held), TTL)).containsEntry(held, Renewal.RENEWED);
            assertThat(patient.release(held)).isTrue();
            assertThat(waiting).isNotDone();
            assertThat(waiting).failsWithin(LONG).withThrowableThat().withMessageContaining("0 of the 1 replicas");
        } finally {
            signalReplica("CONT");
        }
    }

    /** Nothing was sent, so the thread may leave, and its wait for a connection is a part of that for the lock. */
    @Test
    void interruptedThreadMayTryWhereAConnectionIsFree() {
        RedisLockStore patient = redis.store(RedisSettings.DEFAULT.withMinReplicas(1, Duration.ofSeconds(10)));
        assertThat(patient.tryAcquire(request("first", LockMode.EXCLUSIVE))).isInstanceOf(Attempt.Granted.class);
        Thread.currentThread().interrupt();
        Attempt attempt = patient.tryAcquire(request("key", LockMode.EXCLUSIVE));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
    }

    @Test
    void attemptThatWaitsForAConnectionEndsWithAnInterrupt() throws Exception {
        RedisLockStore patient = redis.store(RedisSettings.DEFAULT.withMinReplicas(1, Duration.ofSeconds(10)));
        ExecutorService threads = Executors.newCachedThreadPool();
        signalReplica("STOP");
        try {
            for (int i = 0; i < 8; i++) {
                LeaseRequest slow = request("slow" + i, LockMode.EXCLUSIVE);
                Future<Attempt> unused = threads.submit(() -> patient.tryAcquire(slow));
            }
            await().atMost(LONG).until(() -> redis.commands().info("clients").contains("blocked_clients:8"));
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(NoConnectionException.class)
                    .isThrownBy(() -> patient.tryAcquire(request("key", LockMode.EXCLUSIVE)))
                    .withMessageContaining("the thread was interrupted while it waited for a connection");
            assertThat(Thread.interrupted()).isTrue();
        } finally {
            boolean unused = Thread.interrupted();
            signalReplica("CONT");
            threads.shutdown();
        }
    }

    @Test
    void busyKeyWaitsForNoReplica() throws Exception {
        taken(store, "key", LockMode.EXCLUSIVE);
        signalReplica("STOP");
        try {
            assertThat(store.tryAcquire(request("key", LockMode.EXCLUSIVE))).isInstanceOf(Attempt.Busy.class);
        } finally {
            signalReplica("CONT");
        }
    }

    /** Each node of a cluster counts its own replicas, and this one has none. */
    @Test
    @Tag("full")
    void clusterWithoutReplicasGrantsNothing() throws Exception {
        try (ThreeMasters cluster = ThreeMasters.start();
                TestRedis clustered = new TestRedis(cluster.uris())) {
            RedisLockStore strict = clustered.store(SETTINGS);
            RedisLockStore usual = clustered.store();
            for (int i = 0; i < 6; i++) {
                String key = "key" + i;
                assertRefused(() -> strict.tryAcquire(request(key, LockMode.EXCLUSIVE)));
                assertThat(usual.release(taken(usual, key, LockMode.EXCLUSIVE))).isTrue();
            }
        }
    }
}
