package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.RowlockClient;
import io.rowlock.servers.DeadAddress;
import io.rowlock.servers.ReplicationLink;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A master dies and its replica takes its place: what callers notice meanwhile, and what is lost. All keys of a test are on that
 * master.
 */
@OnRedis
abstract class FailOverContract {
    static final Duration LONG = Duration.ofMinutes(3);
    private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(700);
    private static final RedisSettings SETTINGS = new RedisSettings(
            "rowlock:",
            Duration.ofSeconds(1),
            CONNECT_TIMEOUT,
            Duration.ofHours(1),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            0,
            Duration.ofSeconds(1));

    private final ClientResources resources = LettuceOptions.resources(DefaultClientResources.create(), SETTINGS);
    private RedisServer master;
    private @Nullable DeadAddress dead;
    private final List<AbstractRedisClient> clients = new ArrayList<>();
    private RedisLockStore store;
    private RedisLockStore rivals;
    RowlockClient node;
    RowlockClient rival;

    /** Starts the servers. @return the master that is going to die */
    abstract RedisServer start() throws Exception;

    /** Stops all servers. */
    abstract void stop() throws Exception;

    /** It is shut down at the end. */
    <C extends AbstractRedisClient> C used(C client) {
        clients.add(client);
        return client;
    }

    abstract RedisLockStore open(ClientResources resources, RedisSettings settings);

    /** A key that is on that master. */
    abstract String key(String name);

    @BeforeEach
    void open() throws Exception {
        master = start();
        store = open(resources, SETTINGS);
        rivals = open(resources, SETTINGS);
        node = client(store, "node");
        rival = client(rivals, "rival");
    }

    private static RowlockClient client(RedisLockStore on, String owner) {
        return RowlockClient.builder(on)
                .strategy(RedisLockStore.NAME)
                .owner(owner)
                .ttl(LONG)
                .waitTime(LONG)
                .build();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : List.of(node, rival, store, rivals)) {
            each.close();
        }
        clients.forEach(AbstractRedisClient::shutdown);
        stop();
        if (dead != null) {
            dead.close();
        }
        var unused = resources.shutdown();
    }

    private LockRequest unrenewed(String name) {
        return LockRequest.exclusive(key(name)).withRenewal(false);
    }

    /** A caller that asks again as soon as it got an error. */
    record Outage(List<LockStoreException> failures, Duration lasted, HeldLock lock) {
        static Outage of(RowlockClient caller, LockRequest request) {
            List<LockStoreException> failures = new ArrayList<>();
            long start = System.nanoTime();
            HeldLock lock = answered(() -> caller.acquire(request), failures);
            return new Outage(failures, Duration.ofNanos(System.nanoTime() - start), lock);
        }
    }

    /** Each process finds the new master by itself, and on a busy machine that takes it longer than one call waits. */
    static <T> T answered(Supplier<T> call) {
        return answered(call, new ArrayList<>());
    }

    private static <T> T answered(Supplier<T> call, List<LockStoreException> failures) {
        long start = System.nanoTime();
        while (true) {
            try {
                return call.get();
            } catch (LockStoreException e) {
                failures.add(e);
                assertThat(System.nanoTime() - start)
                        .as("nanos until the locks are back")
                        .isLessThan(LONG.toNanos());
            }
        }
    }

    static boolean extended(HeldLock lock, Duration ttl) {
        return answered(() -> {
            lock.extend(ttl);
            return true;
        });
    }

    /** A release without an answer goes on in the background. */
    static void close(HeldLock lock) {
        try {
            lock.close();
        } catch (LockStoreException e) {
            System.out.println("The release goes on: " + e.getMessage());
        }
    }

    @Test
    void leaseThatWasNotReplicatedHasTwoHoldersUntilTheFirstAsks() throws Exception {
        HeldLock kept = Outage.of(node, unrenewed("kept")).lock();
        ReplicationLink.awaitInSync(master);
        ReplicationLink.cut(master);
        HeldLock lost = Outage.of(node, unrenewed("lost")).lock();
        HeldLock renewed = Outage.of(node, LockRequest.exclusive(key("renewed")).withTtl(Duration.ofSeconds(6)))
                .lock();
        dead = DeadAddress.of(master);

        Outage outage = Outage.of(rival, unrenewed("lost"));
        System.out.printf(
                "%s: locks were away for %s, %d errors%n",
                getClass().getSimpleName(), outage.lasted(), outage.failures().size());
        assertThat(outage.lasted()).isLessThan(LONG.dividedBy(3));
        assertThat(outage.failures().size())
                .as("calls that failed, none of which came back at once")
                .isLessThanOrEqualTo(2 + (int) outage.lasted().dividedBy(CONNECT_TIMEOUT));
        assertThat(outage.failures()).allSatisfy(e -> assertThat(e).hasMessageContaining("The lock store failed: "));

        assertThat(lost.isHeld()).as("the first holder knows nothing yet").isTrue();
        assertThat(outage.lock().fencingToken()).isGreaterThan(lost.fencingToken());
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> extended(lost, LONG));
        long end = System.nanoTime() + LONG.toNanos();
        while (renewed.isHeld()) {
            assertThat(System.nanoTime() - end).isNegative();
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(kept.isHeld()).isTrue();
        assertThat(answered(() -> rival.tryAcquire(unrenewed("kept"))))
                .as("a lease that was replicated")
                .isEmpty();
        close(kept);
        assertThat(answered(() -> rival.tryAcquire(unrenewed("kept").withWaitTime(LONG))))
                .isPresent();
    }

    @Test
    void waiterIsGrantedItsKeyByTheNewMaster() throws Exception {
        // Sentinel may end connections of a master it has just found
        HeldLock first = Outage.of(node, LockRequest.exclusive(key("handed"))).lock();
        ReplicationLink.awaitInSync(master);
        CompletableFuture<HeldLock> waiting = CompletableFuture.supplyAsync(
                () -> Outage.of(rival, LockRequest.exclusive(key("handed"))).lock(), task -> new Thread(task).start());
        TimeUnit.MILLISECONDS.sleep(300);
        dead = DeadAddress.of(master);
        Optional<HeldLock> other =
                Optional.of(Outage.of(node, LockRequest.exclusive(key("other"))).lock());
        assertThat(other).isPresent();
        assertThat(waiting).isNotDone();
        close(first);
        try (HeldLock second = waiting.get(3, TimeUnit.MINUTES)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }
}
