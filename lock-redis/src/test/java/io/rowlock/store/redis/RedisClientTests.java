package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two processes whose locks are in Redis. */
@OnRedis
class RedisClientTests {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration WAIT = Duration.ofSeconds(30);

    private final String key = "key-" + UUID.randomUUID();
    private final TestRedis redis;
    private RowlockClient node;
    private RowlockClient rival;

    RedisClientTests(RedisServer server) {
        redis = new TestRedis(server);
    }

    @BeforeEach
    void open() {
        node = client("node");
        rival = client("rival");
    }

    private RowlockClient client(String owner) {
        return RowlockClient.builder(redis.store())
                .strategy(RedisLockStore.NAME)
                .owner(owner)
                .ttl(TTL)
                .waitTime(WAIT)
                .build();
    }

    @AfterEach
    void close() {
        node.close();
        rival.close();
        redis.close();
    }

    private static CompletableFuture<HeldLock> asked(RowlockClient of, LockRequest request) {
        return CompletableFuture.supplyAsync(() -> of.acquire(request), thread -> new Thread(thread).start());
    }

    private void awaitQueued(int waiters) throws InterruptedException {
        String queue = new LockKeys(RedisSettings.DEFAULT.keyPrefix()).gate(key) + ":q";
        long end = System.nanoTime() + WAIT.toNanos();
        while (redis.commands().zcard(queue) < waiters) {
            assertThat(System.nanoTime() - end).isNegative();
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Test
    void waiterOfAnotherProcessIsGrantedWhatIsReleasedAndKeepsItForItsTtl() throws Exception {
        HeldLock first = node.acquire(LockRequest.exclusive(key));
        CompletableFuture<HeldLock> waiting = asked(rival, LockRequest.exclusive(key));
        awaitQueued(1);
        first.close();
        try (HeldLock second = waiting.get(30, TimeUnit.SECONDS)) {
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            second.ensureHeld(Duration.ofSeconds(20));
            assertThat(second.remaining()).isGreaterThan(Duration.ofSeconds(20));
        }
        assertThat(node.tryAcquire(LockRequest.exclusive(key))).isPresent();
    }

    @Test
    void lockWithoutRenewalThatWasHandedOverGetsItsTtl() throws Exception {
        HeldLock first = node.acquire(LockRequest.exclusive(key));
        CompletableFuture<HeldLock> waiting =
                asked(rival, LockRequest.exclusive(key).withRenewal(false));
        awaitQueued(1);
        first.close();
        try (HeldLock second = waiting.get(30, TimeUnit.SECONDS)) {
            long end = System.nanoTime() + WAIT.toNanos();
            while (second.remaining().compareTo(Duration.ofSeconds(10)) < 0) {
                assertThat(System.nanoTime() - end).isNegative();
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat(second.isHeld()).isTrue();
        }
    }

    @Test
    void busyKeyNamesItsHolderAndTheWaiterLeavesTheQueue() throws Exception {
        try (HeldLock lock = node.acquire(LockRequest.exclusive(key))) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .isThrownBy(() -> rival.acquire(LockRequest.exclusive(key).withWaitTime(Duration.ofMillis(300))))
                    .satisfies(e -> assertThat(e.holder()).contains("node"));
            assertThat(lock.isHeld()).isTrue();
        }
        assertThat(rival.tryAcquire(LockRequest.exclusive(key))).isPresent();
    }

    @Test
    void writerWaitsForReadersOfBothProcesses() throws Exception {
        HeldLock one = node.acquire(LockRequest.shared(key));
        HeldLock two = rival.acquire(LockRequest.shared(key));
        CompletableFuture<HeldLock> writer = asked(rival, LockRequest.exclusive(key));
        TimeUnit.MILLISECONDS.sleep(200);
        assertThat(writer).isNotDone();
        try (RowlockClient third = client("third")) {
            assertThat(third.tryAcquire(LockRequest.shared(key))).isEmpty();
        }
        one.close();
        two.close();
        writer.get(30, TimeUnit.SECONDS).close();
    }

    @Test
    void noUpdateIsLostAndTokensGrowAmongThreadsOfTwoProcesses() throws Exception {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger inside = new AtomicInteger();
        List<Future<Integer>> running = new ArrayList<>();
        var threads = Executors.newFixedThreadPool(8);
        try {
            for (int i = 0; i < 8; i++) {
                RowlockClient mine = i % 2 == 0 ? node : rival;
                running.add(threads.submit(() -> {
                    for (int round = 0; round < 25; round++) {
                        try (HeldLock lock = mine.acquire(LockRequest.exclusive(key))) {
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            tokens.add(lock.fencingToken());
                            inside.decrementAndGet();
                        }
                    }
                    return 25;
                }));
            }
            for (Future<Integer> each : running) {
                assertThat(each.get(2, TimeUnit.MINUTES)).isEqualTo(25);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(tokens).hasSize(200).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void keysWithBracesAndSignsOfPatternsAreFoundAsTheyAre() {
        List<String> keys = List.of("}x", "a{b", "%7B", "a*b?[c]^\\", "{}", "key\0nul");
        List<HeldLock> locks = new ArrayList<>();
        for (String each : keys) {
            locks.add(node.acquire(LockRequest.exclusive(key + each)));
        }
        assertThat(rival.admin().page(key, null, 3).locks()).hasSize(3);
        for (String each : keys) {
            assertThat(rival.tryAcquire(LockRequest.exclusive(key + each))).isEmpty();
            assertThat(rival.holder(key + each))
                    .get()
                    .satisfies(holder -> assertThat(holder.owner()).isEqualTo("node"));
        }
        locks.forEach(HeldLock::close);
    }

    @Test
    void exclusiveLockBecomesSharedWithoutAGap() throws Exception {
        CompletableFuture<HeldLock> writer;
        HeldLock outer = node.acquire(LockRequest.exclusive(key));
        HeldLock inner = node.acquire(LockRequest.shared(key));
        writer = asked(rival, LockRequest.exclusive(key));
        awaitQueued(1);
        outer.close();
        TimeUnit.MILLISECONDS.sleep(200);
        assertThat(writer).isNotDone();
        assertThat(inner.isHeld()).isTrue();
        inner.close();
        writer.get(30, TimeUnit.SECONDS).close();
    }
}
