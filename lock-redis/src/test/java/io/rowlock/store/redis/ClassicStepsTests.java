package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The five steps in which tutorials develop a lock on Redis, and that the flaw of each is not here. */
@OnRedis
class ClassicStepsTests {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final AtomicLong NONCES = new AtomicLong(System.nanoTime() >>> 1);
    private static final Pattern SCRIPTS = Pattern.compile("cmdstat_evalsha:calls=(\\d+)");

    private RedisServer server;
    private TestRedis redis;
    private RedisLockStore one;
    private RedisLockStore two;

    @BeforeEach
    void start() {
        try {
            server = RedisServer.start();
        } catch (IOException e) {
            assumeTrue(false, "redis-server is not installed");
        }
        redis = new TestRedis(server);
        for (Script script : Script.values()) {
            redis.commands().scriptLoad(script.source); // or the first call of each would be sent twice
        }
        one = redis.store();
        two = redis.store();
        for (RedisLockStore store : List.of(one, two)) {
            store.release(taken(store, "warm")); // the first call of a process asks for the server's time
        }
        redis.commands().flushall();
    }

    @AfterEach
    void stop() {
        redis.close();
        server.stop();
    }

    private static Attempt attempt(RedisLockStore at, String key, LockMode mode, Duration ttl) {
        int permits = mode == LockMode.PERMIT ? 5 : 0;
        return at.tryAcquire(new LeaseRequest(key, mode, "same", ttl, NONCES.incrementAndGet(), TTL, permits));
    }

    private static Lease taken(RedisLockStore at, String key) {
        return ((Attempt.Taken) attempt(at, key, LockMode.EXCLUSIVE, TTL)).lease();
    }

    private RowlockClient client(RedisLockStore store, String owner) {
        return RowlockClient.builder(store)
                .strategy(RedisLockStore.NAME)
                .owner(owner)
                .build();
    }

    /** Step 1, SETNX alone: a holder that dies keeps the lock for ever. */
    @Test
    void lockOfAHolderThatDiesEnds() {
        Duration ttl = Duration.ofMillis(100);
        assertThat(attempt(one, "a", LockMode.EXCLUSIVE, ttl)).isInstanceOf(Attempt.Granted.class);
        one.close();
        await().until(() -> attempt(two, "a", LockMode.EXCLUSIVE, TTL) instanceof Attempt.Taken);
    }

    /** Step 2, EXPIRE after SETNX: the holder can die between the two. No key is there without its expiry after one command. */
    @Test
    void expiryIsSetByTheCommandThatTakesTheLock() {
        for (LockMode mode : LockMode.values()) {
            long before = scriptsRun();
            assertThat(attempt(one, "key" + mode, mode, TTL)).isInstanceOf(Attempt.Granted.class);
            assertThat(scriptsRun() - before).isEqualTo(1);
        }
        LeaseRequest waiting = new LeaseRequest(
                "key" + LockMode.EXCLUSIVE, LockMode.EXCLUSIVE, "waiter", TTL, NONCES.incrementAndGet(), TTL, 0);
        assertThat(two.queue().join(waiting).orElseThrow().tryAcquire(waiting)).isInstanceOf(Attempt.Busy.class);
        List<String> keys = redis.commands().keys("*");
        assertThat(keys).hasSize(1 + 2 + 2 + 2); // a gate; two with readers; queue and waiters
        assertThat(keys)
                .allSatisfy(key -> assertThat(redis.commands().pttl(key)).isPositive());
    }

    private long scriptsRun() {
        Matcher calls = SCRIPTS.matcher(redis.commands().info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    /** Step 3, one value for all holders: one that was too slow deletes the lock of its successor. */
    @Test
    void holderThatWasTooSlowDoesNotEndItsSuccessorsLock() {
        Lease slow = taken(one, "a");
        redis.expire(slow);
        Lease successor = taken(two, "a");
        assertThat(successor.owner()).isEqualTo(slow.owner());
        assertThat(one.release(slow)).isFalse();
        assertThat(two.renew(List.of(successor), TTL)).containsEntry(successor, Renewal.RENEWED);
    }

    /** Step 4, GET and then DEL: the lock can expire and be taken between the two. */
    @Test
    void releaseThatMeetsATakeoverEndsTheOldLeaseOnly() throws Exception {
        for (int round = 0; round < 200; round++) {
            String key = "key" + round;
            Lease old = taken(one, key);
            CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(() -> one.release(old));
            redis.expire(old);
            Attempt attempt = attempt(two, key, LockMode.EXCLUSIVE, TTL);
            release.get(10, TimeUnit.SECONDS);
            if (attempt instanceof Attempt.Taken successor) {
                assertThat(two.renew(List.of(successor.lease()), TTL)).containsValue(Renewal.RENEWED);
            }
            assertThat(attempt(one, key, LockMode.EXCLUSIVE, TTL))
                    .isInstanceOf(attempt instanceof Attempt.Taken ? Attempt.Busy.class : Attempt.Taken.class);
        }
    }

    /** Step 5, Lua for both: a body that takes longer than the ttl runs without its lock. */
    @Test
    void bodyLongerThanTheTtlKeepsItsLock() throws Exception {
        try (RowlockClient node = client(one, "node");
                RowlockClient rival = client(two, "rival");
                HeldLock lock = node.acquire(LockRequest.exclusive("a").withTtl(Duration.ofSeconds(9)))) {
            TimeUnit.SECONDS.sleep(10); // the body
            assertThat(lock.isHeld()).isTrue();
            assertThat(rival.tryAcquire(LockRequest.exclusive("a"))).isEmpty();
        }
    }

    /** Step 5, Lua for both: waiters poll. Here a waiter asks at its heartbeat, and a release grants it the lock. */
    @Test
    void waiterHardlyAsksAndIsGrantedTheLock() throws Exception {
        try (RowlockClient node = client(one, "node");
                RowlockClient rival = client(two, "rival")) {
            HeldLock lock = node.acquire(LockRequest.exclusive("a").withRenewal(false));
            CompletableFuture<Long> waiter = CompletableFuture.supplyAsync(() -> {
                try (HeldLock granted = rival.acquire(LockRequest.exclusive("a").withWaitTime(TTL))) {
                    return granted.fencingToken();
                }
            });
            await().until(() -> redis.commands().zcard("rowlock:{a}:q") == 1);
            long before = scriptsRun();
            long start = System.nanoTime();
            TimeUnit.MILLISECONDS.sleep(2_500);
            long run = scriptsRun() - before;
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start); // 2, or more on a busy machine
            assertThat(run).isBetween(1L, seconds + 2);
            long released = scriptsRun();
            lock.close();
            assertThat(waiter.get(10, TimeUnit.SECONDS)).isGreaterThan(lock.fencingToken());
            assertThat(scriptsRun() - released)
                    .as("two releases, and perhaps a heartbeat")
                    .isBetween(2L, 3L);
        }
    }
}
