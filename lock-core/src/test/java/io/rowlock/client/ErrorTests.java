package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors that end an acquire or a close in the middle: no lease is renewed for a holder that is gone, and no key stays unusable. */
@Timeout(120)
class ErrorTests {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final LockRequest REQUEST =
            LockRequest.exclusive("a").withTtl(TTL).withWaitTime(Duration.ofSeconds(40));

    private final InMemoryLockStore table = new InMemoryLockStore();
    private final FailingStore store = new FailingStore(table);
    private final RowlockClient client = RowlockClient.builder(store)
            .handoff(new Handoff(1, Duration.ofMillis(1)))
            .build();
    private final RowlockClient other = RowlockClient.builder(table).build();

    @AfterEach
    void close() {
        store.failure = null;
        client.close();
        other.close();
    }

    /** Another process, a thread of this one and the thread itself get the key. */
    private void assertUsable(LockRequest request) throws Exception {
        other.acquire(request).close();
        FutureTask<Boolean> thread = new FutureTask<>(() -> {
            client.acquire(request).close();
            return true;
        });
        new Thread(thread, "another").start();
        assertThat(thread.get()).isTrue();
        await().atMost(Duration.ofSeconds(40))
                .until(() -> client.leases() == 0
                        && client.queues() == 0
                        && client.threadLocks().threads() == 0);
        client.acquire(request).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"release", "forget", "isWaitedFor"})
    void closeThatEndsInAnErrorLeavesTheKeyToItsTtlAtMost(String call) throws Exception {
        HeldLock lock = client.acquire(REQUEST);
        FutureTask<Boolean> waiter = new FutureTask<>(() -> {
            client.acquire(REQUEST).close();
            return true;
        });
        HandoffRushTests.inLine(waiter);
        store.failAt(call, new OutOfMemoryError("for the test"));
        if (call.equals("isWaitedFor")) {
            lock.close(); // asks nothing more, and releases it
        } else {
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(lock::close);
        }
        assertThat(waiter.get()).isTrue();
        assertUsable(REQUEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tryAcquire", "isContended", "drained"})
    void acquireThatEndsInAnErrorLeavesTheKeyToItsTtlAtMost(String call) throws Exception {
        client.acquire(LockRequest.shared("a").withTtl(TTL)).close(); // so that a writer drains
        store.failAt(call, new OutOfMemoryError("for the test"));
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> client.acquire(REQUEST));
        assertUsable(REQUEST);
    }

    @Test
    void grantOfAnAcquireThatEndedInAnErrorIsNotRenewed() throws Exception {
        store.grantBeforeFailing = true;
        store.failAt("tryAcquire", new StackOverflowError("for the test"));
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> client.acquire(REQUEST));
        assertUsable(REQUEST);
    }

    private static int at(int depth, Runnable body) {
        if (depth == 0) {
            body.run();
            return 0;
        }
        return at(depth - 1, body) + 1;
    }

    /** What a thread with a small stack does at a depth, and the error that it ends with. */
    private static @Nullable Throwable deep(int depth, Runnable before, Runnable body) throws InterruptedException {
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        Thread thread = new Thread(
                null,
                () -> {
                    before.run();
                    try {
                        at(depth, body);
                    } catch (Throwable e) {
                        thrown.set(e);
                    }
                },
                "deep",
                256 * 1024);
        thread.start();
        thread.join();
        return thrown.get();
    }

    /** Closes it while another thread waits and the limits of the hand-off are reached. */
    private @Nullable Throwable closedAt(int depth, String key) throws Exception {
        LockRequest request = LockRequest.exclusive(key).withTtl(TTL).withWaitTime(Duration.ofMillis(300));
        AtomicReference<HeldLock> lock = new AtomicReference<>();
        CountDownLatch waiting = new CountDownLatch(1);
        FutureTask<Boolean> waiter = new FutureTask<>(() -> {
            waiting.countDown();
            try {
                client.acquire(request).close();
            } catch (LockNotAcquiredException e) {
                // it is the other that is under test
            }
            return true;
        });
        Throwable thrown = deep(
                depth,
                () -> {
                    lock.set(client.acquire(request));
                    new Thread(waiter, "waits").start();
                    try {
                        waiting.await();
                        Thread.sleep(3); // beyond the time of the hand-off
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                () -> lock.get().close());
        lock.get().close(); // as far as it was not begun
        waiter.get();
        return thrown;
    }

    @Test
    void closeOnAFullStackLeavesNoKeyTaken() throws Exception {
        int low = 50;
        int high = 20_000;
        while (high - low > 8) {
            int middle = (low + high) / 2;
            if (closedAt(middle, "search-" + middle) == null) {
                low = middle;
            } else {
                high = middle;
            }
        }
        List<String> keys = new ArrayList<>();
        int errors = 0;
        for (int depth = low - 20; depth < low + 200; depth += 2) {
            String key = "deep-" + depth;
            keys.add(key);
            errors += closedAt(depth, key) instanceof StackOverflowError ? 1 : 0;
        }
        assertThat(errors).as("closes on a full stack").isPositive();
        for (String key : keys) {
            LockRequest request = LockRequest.exclusive(key).withTtl(TTL).withWaitTime(Duration.ofSeconds(40));
            other.acquire(request).close();
            client.acquire(request).close();
        }
        await().atMost(Duration.ofSeconds(40)).until(() -> client.leases() == 0);
    }
}
