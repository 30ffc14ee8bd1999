package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.Requests;
import io.rowlock.client.lock.KeyQueues.StoreHealth;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.Observation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KeyQueueTests {
    private static final long LONG = Duration.ofSeconds(30).toNanos();
    private static final ResolvedRequest WRITER = Requests.of("a", LockMode.EXCLUSIVE);
    private static final Lease LEASE = new Lease("a", LockMode.EXCLUSIVE, 0, 7, "me");
    private static final ResolvedRequest READER = Requests.of("a", LockMode.SHARED);
    private static final Handoff NO_HANDOFF = new Handoff(0, Duration.ZERO);

    private final StoreHealth health = new StoreHealth();
    private final InFlightThreads inFlight = new InFlightThreads();
    private volatile Ticker ticker = Ticker.SYSTEM;
    private final Observers observers =
            new Observers(() -> ticker.nanoTime(), LockLog.NONE, LockInstrumentation.NONE, List.of());
    private final KeyQueue queue = new KeyQueue(new Handoff(1, Duration.ofMinutes(1)), health, inFlight);
    private final ProcessLocks process = new ProcessLocks(
            new RequestResolver(
                    List.of(WRITER.store()),
                    new LockClientSettings(
                            WRITER.store().strategy(),
                            WRITER.ttl(),
                            Duration.ZERO,
                            "",
                            "owner",
                            true,
                            null,
                            Handoff.DEFAULT)),
            observers);

    @AfterEach
    void close() {
        process.close();
    }

    private final AtomicReference<ThreadLock> asker = new AtomicReference<>();

    private ThreadLock.State enter(ResolvedRequest request, long nanos) throws InterruptedException {
        ThreadLock lock = lock(request);
        ThreadLock.State state = ThreadLock.State.WAITING;
        try {
            state = queue.enter(lock, nanos);
            return state;
        } finally {
            if (state == ThreadLock.State.ASKING) {
                asker.set(lock);
            } else if (state == ThreadLock.State.WAITING) {
                queue.forget(lock);
            }
        }
    }

    private void turnOver() {
        queue.forget(asker.get());
    }

    private ThreadLock lock(ResolvedRequest request) {
        return lock(request, queue);
    }

    private ThreadLock lock(ResolvedRequest request, KeyQueue of) {
        return new ThreadLock(request, of, process, new Observation(observers, ObservedLock.of(request)));
    }

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
        new KeyQueue(NO_HANDOFF, health, inFlight).health.failed(outage);
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.WAITING);
        assertThat(queue.outage(0)).isSameAs(outage);
        new KeyQueue(NO_HANDOFF, health, inFlight).health.answered();
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.WAITING);
        assertThat(queue.outage(0)).isNull();
    }

    @Test
    void firstMayAskTheStoreAndTheNextAfterwards() throws Exception {
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.WAITING);
        assertThat(queue.outage(0)).isNull();
        FutureTask<ThreadLock.State> next = start(() -> enter(WRITER, LONG));
        assertThat(next.isDone()).isFalse();
        turnOver();
        assertThat(next.get()).isEqualTo(ThreadLock.State.ASKING);
    }

    /** A park may end early, so it is tried more than once; with a permit left, it does so each time. */
    @Test
    void bodyOfAThreadThatDidNotWaitCanPark() throws Exception {
        long most = 0;
        for (int i = 0; i < 3; i++) {
            assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
            long start = System.nanoTime();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            most = Math.max(most, System.nanoTime() - start);
            turnOver();
        }
        assertThat(Duration.ofNanos(most)).isGreaterThanOrEqualTo(Duration.ofMillis(15));
    }

    @Test
    void timeOutTellsTheOutage() throws Exception {
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
        LockStoreException outage = new LockStoreException("off", null);
        queue.health.failed(outage);
        assertThat(enter(WRITER, 1)).isEqualTo(ThreadLock.State.WAITING);
        assertThat(queue.outage(0)).isSameAs(outage);
        queue.health.answered();
        assertThat(enter(WRITER, 1)).isEqualTo(ThreadLock.State.WAITING);
        assertThat(queue.outage(0)).isNull();
    }

    @Test
    void interruptedThreadLeavesTheQueue() throws Exception {
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> enter(WRITER, LONG)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        turnOver();
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
    }

    /** Its thread has yet to forget it, and what it were granted until then would be busy for others. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void waiterThatHasGivenUpIsHandedNothing(boolean interrupted) throws Exception {
        ThreadLock first = lock(WRITER);
        HeldLease held = new HeldLease(LEASE, WRITER, System.nanoTime(), null, first);
        assertThat(queue.enter(first, 0)).isEqualTo(ThreadLock.State.ASKING);
        queue.granted(held, first);
        FutureTask<ThreadLock.State> second = start(() -> {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return queue.enter(lock(WRITER), interrupted ? LONG : 0);
        });
        if (interrupted) {
            assertThatThrownBy(second::get).hasCauseInstanceOf(InterruptedException.class);
        } else {
            assertThat(second.get()).isEqualTo(ThreadLock.State.WAITING);
        }
        assertThat(queue.leave(first, held)).isTrue();
    }

    /** Else the next holder could lose the lease before, and the one that left would take that for its own loss. */
    @Test
    void leaverIsNotNotifiedOfALossByTheNextHolder() throws Exception {
        Attempt attempt = WRITER.store().tryAcquire(WRITER.leaseRequest(WRITER.ttl()));
        Lease lease = ((Attempt.Granted) attempt).lease();
        ThreadLock first = lock(WRITER);
        HeldLease held = new HeldLease(lease, WRITER, System.nanoTime(), null, first);
        assertThat(queue.enter(first, 0)).isEqualTo(ThreadLock.State.ASKING);
        queue.granted(held, first);
        AtomicReference<ThreadLock> second = new AtomicReference<>();
        FutureTask<ThreadLock.State> next = start(() -> {
            second.set(lock(WRITER));
            return queue.enter(second.get(), LONG);
        });
        await().until(() -> queue.waiting() == 1);
        assertThat(queue.leave(first, held)).isFalse();
        assertThat(next.get()).isEqualTo(ThreadLock.State.JOINED);
        assertThat(second.get().lease()).isSameAs(held);
        held.gone(HeldLease.GONE);
        assertThat(first.isLost()).isFalse();
        assertThat(second.get().isLost()).isTrue();
        assertThat(queue.leave(second.get(), held)).isTrue();
    }

    /** Its thread would wait until its time is over, and have the key all that time. */
    @Test
    void followerIsWokenThoughAnErrorKeepsTheNextOneFromBeingLookedAt() throws Exception {
        ThreadLock first = lock(WRITER);
        HeldLease held = new HeldLease(LEASE, WRITER, System.nanoTime(), null, first);
        assertThat(queue.enter(first, 0)).isEqualTo(ThreadLock.State.ASKING);
        queue.granted(held, first);
        AtomicReference<ThreadLock> follower = new AtomicReference<>();
        FutureTask<ThreadLock.State> following = start(() -> {
            follower.set(lock(READER));
            return queue.enter(follower.get(), LONG);
        });
        await().until(() -> queue.waiting() == 1);
        FutureTask<ThreadLock.State> behind = start(() -> enter(READER, LONG));
        await().until(() -> queue.waiting() == 2);
        Thread leaver = Thread.currentThread();
        ticker = () -> {
            if (Thread.currentThread() == leaver && follower.get().state == ThreadLock.State.JOINED) {
                throw new IllegalStateException("for the test");
            }
            return System.nanoTime();
        };
        assertThatThrownBy(() -> queue.leave(first, held)).hasMessage("for the test");
        assertThat(following.get(10, TimeUnit.SECONDS)).isEqualTo(ThreadLock.State.JOINED);
        ticker = Ticker.SYSTEM;
        queue.forget(follower.get());
        assertThat(behind.get()).isIn(ThreadLock.State.JOINED, ThreadLock.State.ASKING);
    }

    /** Its token is smaller than that of the lease that the next owner may have by then. */
    @Test
    void holderThatWasForcedOutHandsOnNothing() throws Exception {
        ThreadLock first = lock(WRITER);
        HeldLease held = new HeldLease(LEASE, WRITER, System.nanoTime(), null, first);
        assertThat(queue.enter(first, 0)).isEqualTo(ThreadLock.State.ASKING);
        queue.granted(held, first);
        FutureTask<ThreadLock.State> next = start(() -> enter(WRITER, LONG));
        await().until(() -> queue.waiting() == 1);
        held.gone(HeldLease.FORCED);
        assertThat(next.get()).isEqualTo(ThreadLock.State.ASKING);
        assertThat(queue.leave(first, held)).isTrue();
        assertThat(enter(WRITER, 0)).as("the turn is the next thread's").isEqualTo(ThreadLock.State.WAITING);
    }

    /** Its loss is noticed between the answer of the store and the grant. */
    @Test
    void leaseThatIsLostWhenItIsGrantedLeavesTheTurnToTheNextThreadOnly() throws Exception {
        ThreadLock first = lock(WRITER);
        HeldLease held = new HeldLease(LEASE, WRITER, System.nanoTime(), null, first);
        assertThat(queue.enter(first, 0)).isEqualTo(ThreadLock.State.ASKING);
        FutureTask<ThreadLock.State> next = start(() -> enter(WRITER, LONG));
        await().until(() -> queue.waiting() == 2);
        held.gone(HeldLease.GONE);
        queue.granted(held, first);
        assertThat(next.get()).isEqualTo(ThreadLock.State.ASKING);
        queue.ended(held);
        assertThat(enter(WRITER, 0)).as("one thread asks").isEqualTo(ThreadLock.State.WAITING);
    }

    @Test
    void threadThatGaveUpWithoutLeavingIsPassedOver() throws Exception {
        ThreadLock asks = lock(WRITER);
        assertThat(queue.enter(asks, 0)).isEqualTo(ThreadLock.State.ASKING);
        asks.first.givenUp = true;
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
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
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
    }

    private void rush(AtomicInteger inside, AtomicInteger admitted) {
        try {
            long patience = ThreadLocalRandom.current().nextLong(200_000);
            if (enter(WRITER, patience) == ThreadLock.State.ASKING) {
                assertThat(inside.incrementAndGet()).isEqualTo(1);
                admitted.incrementAndGet();
                inside.decrementAndGet();
                turnOver();
            }
        } catch (InterruptedException e) {
            admitted.incrementAndGet();
        }
        boolean unused = Thread.interrupted();
    }

    @Test
    void queueWithoutThreadsIsRemoved() {
        KeyQueues queues = new KeyQueues(NO_HANDOFF, inFlight);
        for (int i = 0; i < 100_000; i++) {
            ResolvedRequest.Id id = new ResolvedRequest.Id("none", "key-" + i, false);
            KeyQueue first = queues.use(id);
            assertThat(queues.use(id)).isSameAs(first);
            queues.leave(id);
            assertThat(queues.queues).hasSize(1);
            queues.leave(id);
        }
        assertThat(queues.queues).isEmpty();
    }

    @Test
    void shutQueueRejectsWaitersUntilItIsOpened() throws Exception {
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
        FutureTask<ThreadLock.State> waiter = start(() -> enter(WRITER, LONG));
        await().until(() -> queue.waiting() == 2);
        inFlight.drain();
        queue.rejectWaiters();
        assertThat(waiter.get()).isEqualTo(ThreadLock.State.REJECTED);
        assertThat(enter(READER, LONG)).isEqualTo(ThreadLock.State.REJECTED);
        assertThat(queue.waiting()).as("the thread that asks the store").isOne();
        turnOver();
        assertThat(queue.waiting()).isZero();
        inFlight.resume();
        assertThat(enter(WRITER, 0)).isEqualTo(ThreadLock.State.ASKING);
    }

    @Test
    void closeAwaitsTheOtherThreadsThatAsk() throws Exception {
        KeyQueue asked = process.queues.use(WRITER.id());
        ThreadLock asking = lock(WRITER, asked);
        assertThat(asked.enter(asking, 0)).isEqualTo(ThreadLock.State.ASKING);
        assertThat(process.queues.awaitEnd(Duration.ofMinutes(1))).isTrue();
        FutureTask<Boolean> other = new FutureTask<>(() -> process.queues.awaitEnd(Duration.ofMillis(50)));
        new Thread(other, "closes").start();
        assertThat(other.get(30, TimeUnit.SECONDS)).isFalse();
        asked.forget(asking);
        other = new FutureTask<>(() -> process.queues.awaitEnd(Duration.ofMinutes(1)));
        new Thread(other, "closes").start();
        assertThat(other.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closeWaitsThoughItsThreadIsInterrupted() throws Exception {
        KeyQueue asked = process.queues.use(WRITER.id());
        ThreadLock asking = lock(WRITER, asked);
        assertThat(asked.enter(asking, 0)).isEqualTo(ThreadLock.State.ASKING);
        FutureTask<Boolean> closing = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            return process.queues.awaitEnd(Duration.ofMinutes(1))
                    && Thread.currentThread().isInterrupted();
        });
        Thread thread = new Thread(closing, "closes");
        thread.setDaemon(true);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        asked.forget(asking);
        assertThat(closing.get(30, TimeUnit.SECONDS))
                .as("waited, and is interrupted still")
                .isTrue();
    }
}
