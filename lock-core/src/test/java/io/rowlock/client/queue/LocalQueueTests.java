package io.rowlock.client.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.Requests;
import io.rowlock.client.event.EventDispatcher;
import io.rowlock.client.event.LockInstrumentation;
import io.rowlock.client.event.Observers;
import io.rowlock.client.event.SafeInstrumentation;
import io.rowlock.client.lease.LeaseRenewer;
import io.rowlock.client.lease.UncertainLeases;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LocalQueueTests {
    private static final long LONG = Duration.ofSeconds(30).toNanos();
    private static final ResolvedRequest WRITER = Requests.of("a", LockMode.EXCLUSIVE);
    private static final ResolvedRequest READER = Requests.of("a", LockMode.SHARED);

    private final AtomicReference<LockStoreException> lastOutage = new AtomicReference<>();
    private final AtomicBoolean shut = new AtomicBoolean();
    private final LocalQueue queue = new LocalQueue(lastOutage, shut);

    private static <T> FutureTask<T> start(Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task, "in queue");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    @Test
    void databaseThatAnsweredNoThreadLastIsNotSilentlyTrusted() throws Exception {
        LockStoreException outage = new LockStoreException("off", null);
        new LocalQueue(lastOutage, shut).failed(outage);
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
        assertThat(queue.enter(WRITER, 0)).isEqualTo(new LocalQueue.Admission.TimedOut(outage, null));
        new LocalQueue(lastOutage, shut).answered();
        assertThat(queue.enter(WRITER, 0)).isEqualTo(new LocalQueue.Admission.TimedOut(null, null));
    }

    @Test
    void firstMayAskTheStoreAndTheNextAfterwards() throws Exception {
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
        assertThat(queue.enter(WRITER, 0)).isEqualTo(new LocalQueue.Admission.TimedOut(null, null));
        FutureTask<LocalQueue.Admission> next = start(() -> queue.enter(WRITER, LONG));
        assertThat(next.isDone()).isFalse();
        queue.releaseStore();
        assertThat(next.get()).isInstanceOf(LocalQueue.Admission.AskStore.class);
    }

    @Test
    void timeOutTellsTheOutage() throws Exception {
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
        LockStoreException outage = new LockStoreException("off", null);
        queue.failed(outage);
        assertThat(queue.enter(WRITER, 1)).isEqualTo(new LocalQueue.Admission.TimedOut(outage, null));
        queue.answered();
        assertThat(queue.enter(WRITER, 1)).isEqualTo(new LocalQueue.Admission.TimedOut(null, null));
    }

    @Test
    void interruptedThreadLeavesTheQueue() throws Exception {
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> queue.enter(WRITER, LONG)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        queue.releaseStore();
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
    }

    /** Else the next holder could lose the lease before, and the one that left would take that for its own loss. */
    @Test
    void leaverKnowsThatTheLeaseGoesOnBeforeTheNextHolderDoes() throws Exception {
        Observers observers = new Observers(
                Ticker.SYSTEM, new EventDispatcher(List.of()), new SafeInstrumentation(LockInstrumentation.NONE));
        try (LeaseRenewer renewer =
                new LeaseRenewer(observers, null, new UncertainLeases(Ticker.SYSTEM), () -> false)) {
            Attempt attempt = WRITER.store().tryAcquire(WRITER.leaseRequest(Duration.ZERO, WRITER.ttl()));
            Lease lease = ((Attempt.Granted) attempt).lease();
            SharedLease held = new SharedLease(
                    renewer.manage(lease, WRITER, System.nanoTime(), null),
                    new Handoff(1, Duration.ofMinutes(1)),
                    Ticker.SYSTEM);
            assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
            queue.granted(held);
            FutureTask<LocalQueue.Admission> next = start(() -> queue.enter(WRITER, LONG));
            await().until(() -> queue.waiting() == 1);
            AtomicInteger calls = new AtomicInteger();
            assertThat(queue.leave(held, () -> {
                        calls.incrementAndGet();
                        assertThatExceptionOfType(TimeoutException.class)
                                .isThrownBy(() -> next.get(100, TimeUnit.MILLISECONDS));
                    }))
                    .isFalse();
            assertThat(next.get()).isEqualTo(new LocalQueue.Admission.Joined(held));
            assertThat(calls).hasValue(1);
            assertThat(queue.leave(held, calls::incrementAndGet)).isTrue();
            assertThat(calls).hasValue(1);
        }
    }

    /** Time-outs, interrupts and releases at once: the store is never left taken, and no two threads may ask it. */
    @Test
    void storeIsNeverLeftTakenInTheRush() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger admitted = new AtomicInteger();
        List<FutureTask<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(start(() -> {
                for (int round = 0; round < 2_000; round++) {
                    if (ThreadLocalRandom.current().nextInt(10) == 0) {
                        Thread.currentThread().interrupt();
                    }
                    rush(inside, admitted);
                }
                return true;
            }));
        }
        for (FutureTask<Boolean> thread : threads) {
            assertThat(thread.get(50, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(admitted.get()).isPositive();
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
    }

    private void rush(AtomicInteger inside, AtomicInteger admitted) {
        try {
            long patience = ThreadLocalRandom.current().nextLong(200_000);
            if (queue.enter(WRITER, patience) instanceof LocalQueue.Admission.AskStore) {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                admitted.incrementAndGet();
                inside.decrementAndGet();
                queue.releaseStore();
            }
        } catch (InterruptedException e) {
            admitted.incrementAndGet();
        }
        boolean unused = Thread.interrupted();
    }

    @Test
    void queueWithoutThreadsIsRemoved() {
        LocalQueues queues = new LocalQueues();
        for (int i = 0; i < 100_000; i++) {
            LockId id = new LockId("none", "key-" + i, false);
            LocalQueue first = queues.use(id);
            assertThat(queues.use(id)).isSameAs(first);
            queues.leave(id);
            assertThat(queues.size()).isEqualTo(1);
            queues.leave(id);
        }
        assertThat(queues.size()).isZero();
        await().until(() -> queues.size() == 0);
    }

    @Test
    void shutQueueRejectsWaitersUntilItIsOpened() throws Exception {
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
        FutureTask<LocalQueue.Admission> waiter = start(() -> queue.enter(WRITER, LONG));
        await().until(() -> queue.waiting() == 2);
        shut.set(true);
        queue.rejectWaiters();
        assertThat(waiter.get()).isEqualTo(new LocalQueue.Admission.Shut());
        assertThat(queue.enter(READER, LONG)).isEqualTo(new LocalQueue.Admission.Shut());
        assertThat(queue.waiting()).as("the thread that asks the store").isOne();
        queue.releaseStore();
        assertThat(queue.waiting()).isZero();
        shut.set(false);
        assertThat(queue.enter(WRITER, 0)).isInstanceOf(LocalQueue.Admission.AskStore.class);
    }
}
