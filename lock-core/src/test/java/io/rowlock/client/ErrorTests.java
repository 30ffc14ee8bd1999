package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.Use;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.transaction.LoggedTransactions;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Errors that end an acquire or a close in the middle: no lease is renewed for a holder that is gone, and no key stays unusable. */
@Timeout(120)
class ErrorTests {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final int KEYS = 200;
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
                .until(() -> Use.of(client.locks()).leases() == 0
                        && Use.of(client.locks()).queues() == 0
                        && Use.of(client.locks()).threads() == 0);
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

    @Test
    void closeOfSeveralKeysThatEndsInAnErrorLeavesEachToItsTtlAtMost() throws Exception {
        LockRequest both = LockRequest.exclusive("a", "b").withTtl(TTL).withWaitTime(Duration.ofSeconds(40));
        HeldLock lock = client.acquire(both);
        store.failAt("release", new OutOfMemoryError("for the test"));
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(lock::close);
        assertUsable(both);
    }

    @Test
    void errorOfACloseIsThrownThoughAKeyIsBusy() {
        try (HeldLock busy = other.acquire(LockRequest.exclusive("b"))) {
            store.failAt("release", new OutOfMemoryError("for the test"));
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> client.tryAcquire(LockRequest.exclusive("a", "b")));
        }
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

    @Test
    void transactionThatFailsToReleaseALockLeavesTheOthersToTheirTtlAtMost() throws Exception {
        LockRequest second = LockRequest.exclusive("b").withTtl(TTL).withWaitTime(Duration.ofSeconds(40));
        new TransactionTemplate(new LoggedTransactions(new ArrayList<>())).executeWithoutResult(status -> {
            client.acquire(REQUEST).close();
            client.acquire(second).close();
            store.failAt("release", new OutOfMemoryError("for the test"));
        });
        assertUsable(REQUEST);
        assertUsable(second);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void downgradeThatEndsInAnErrorLosesTheLock(boolean isCarriedOut) throws Exception {
        HeldLock writer = client.acquire(REQUEST);
        HeldLock reader = client.acquire(LockRequest.shared("a").withTtl(TTL));
        store.grantBeforeFailing = isCarriedOut;
        store.failAt("downgrade", new OutOfMemoryError("for the test"));
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(writer::close);
        assertThat(reader.isLost()).isTrue();
        reader.close();
        assertUsable(REQUEST);
    }

    /** On a thread that cannot begin another one, as where the system lets the process have no more. */
    private static <T> T onLastThread(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        new Thread(task, "last") {
            @Override
            public ClassLoader getContextClassLoader() { // asked for when a thread is made
                throw new OutOfMemoryError("no thread for the test");
            }
        }.start();
        return task.get(1, TimeUnit.MINUTES);
    }

    /** @param last true if no thread can begin for the action */
    private void lose(String key, Queue<String> lost, boolean last) throws Exception {
        try (HeldLock lock = client.acquire(LockRequest.exclusive(key).withTtl(Duration.ofMinutes(10)))) {
            lock.onLost(event -> lost.add(event.key()));
            assertThat(other.admin().release(key, "a test", "loss")).hasSize(1);
            Callable<Throwable> extension = () -> catchThrowable(lock::extend);
            assertThat(last ? onLastThread(extension) : extension.call()).isInstanceOf(LockLostException.class);
            assertThat(Use.of(client.locks()).leases()).isZero();
        }
    }

    @Test
    void lossIsReportedToTheEndThoughNoThreadCanBeginForItsActionWhichTheNextOneCalls() throws Exception {
        Queue<String> lost = new ConcurrentLinkedQueue<>();
        lose("a", lost, true);
        lose("b", lost, true);
        assertThat(lost).isEmpty();
        lose("c", lost, false);
        await().untilAsserted(() -> assertThat(lost).containsExactlyInAnyOrder("a", "b", "c"));
    }

    @Test
    void keyIsBusyThoughNoThreadCanBeginToAskWhoHasIt() throws Exception {
        client.acquire(LockRequest.exclusive("any")).close(); // begins the thread that renews
        try (HeldLock reader = other.acquire(LockRequest.shared("a"))) {
            assertThat(reader.isHeld()).isTrue();
            assertThat(onLastThread(() -> client.tryAcquire(REQUEST.withWaitTime(Duration.ZERO))))
                    .isEmpty();
        }
        assertUsable(REQUEST);
    }

    /** Fills the stack, and does something at each depth on the way back. An error there is for the next one to leave behind. */
    private static void dive(int depth, Runnable atEachDepth) {
        try {
            if (depth < 1_000_000) {
                dive(depth + 1, atEachDepth);
            }
        } catch (StackOverflowError e) {
            // the stack is full, or was for what was done below
        }
        atEachDepth.run();
    }

    private static void onASmallStack(Runnable body) throws InterruptedException {
        Thread thread = new Thread(null, () -> dive(0, body), "deep", 256 * 1024);
        thread.start();
        thread.join();
    }

    /** Locks of one thread, each used once. */
    private static final class Next {
        private final LockRequest[] requests = new LockRequest[KEYS];
        private final HeldLock[] locks = new HeldLock[KEYS];
        private int used;
        private int errors;

        Next() {
            Arrays.setAll(
                    requests,
                    i -> LockRequest.exclusive("deep-" + i).withTtl(TTL).withWaitTime(Duration.ofSeconds(40)));
        }
    }

    /** While another thread waits for each of them, and the limits of the hand-off are reached. */
    @Test
    void closeOnAFullStackLeavesNoKeyTaken() throws Exception {
        Next next = new Next();
        List<FutureTask<Boolean>> waiters = new ArrayList<>();
        List<Thread> inLine = new ArrayList<>();
        Thread thread = new Thread(
                null,
                () -> {
                    for (int i = 0; i < KEYS; i++) {
                        LockRequest request = next.requests[i];
                        next.locks[i] = client.acquire(request);
                        waiters.add(new FutureTask<>(() -> {
                            client.acquire(request).close();
                            return true;
                        }));
                        inLine.add(new Thread(waiters.get(i), "in line"));
                        inLine.get(i).start();
                    }
                    await().until(() ->
                            inLine.stream().allMatch(waiter -> waiter.getState() == Thread.State.TIMED_WAITING));
                    dive(0, () -> {
                        int i = next.used;
                        if (i < KEYS) {
                            next.used = i + 1;
                            next.errors++; // taken back below, if it is none
                            next.locks[i].close();
                            next.errors--;
                        }
                    });
                },
                "deep",
                256 * 1024);
        thread.start();
        thread.join();
        assertThat(next.used).isEqualTo(KEYS);
        assertThat(next.errors).as("closes that ended in an error").isBetween(1, KEYS - 1);
        for (HeldLock lock : next.locks) {
            lock.close(); // as far as it was not begun
        }
        for (FutureTask<Boolean> waiter : waiters) {
            assertThat(waiter.get()).isTrue();
        }
        assertNothingIsLeft(next);
    }

    @Test
    void acquireOnAFullStackLeavesNoKeyTaken() throws Exception {
        Next next = new Next();
        onASmallStack(() -> {
            int i = next.used;
            if (i < KEYS) {
                next.used = i + 1;
                next.errors++;
                next.locks[i] = client.acquire(next.requests[i]);
                next.errors--;
            }
        });
        assertThat(next.errors).as("acquires that ended in an error").isBetween(1, KEYS - 1);
        for (HeldLock lock : next.locks) {
            if (lock != null) {
                lock.close();
            }
        }
        assertNothingIsLeft(next);
    }

    private void assertNothingIsLeft(Next next) {
        for (LockRequest request : next.requests) {
            other.acquire(request).close();
            client.acquire(request).close();
        }
        await().atMost(Duration.ofSeconds(40))
                .until(() -> Use.of(client.locks()).leases() == 0);
    }
}
