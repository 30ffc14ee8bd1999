package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.Use;
import io.rowlock.client.request.Handoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiters that give up or are interrupted just when a lease is handed to them. */
@Timeout(60)
class HandoffRushTests {
    private static final int THREADS = 8;
    private static final int ROUNDS = 2_000;

    private final SteeredStore store = new SteeredStore();
    private final AtomicInteger readers = new AtomicInteger();
    private final AtomicInteger writers = new AtomicInteger();
    private final AtomicInteger grants = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();

    private RowlockClient client(Handoff handoff) {
        return RowlockClient.builder(store)
                .ttl(Duration.ofMinutes(10))
                .waitTime(Duration.ZERO)
                .handoff(handoff)
                .build();
    }

    @Test
    void noLeaseIsLostInTheRushAndNoThreadIsInsideWithAWriter() throws Exception {
        try (RowlockClient client = client(new Handoff(20, Duration.ofSeconds(1)))) {
            List<FutureTask<Boolean>> tasks = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                FutureTask<Boolean> task = new FutureTask<>(() -> rush(client));
                tasks.add(task);
                threads.add(new Thread(task, "rush"));
            }
            threads.forEach(Thread::start);
            while (tasks.stream().anyMatch(task -> !task.isDone())) {
                threads.get(ThreadLocalRandom.current().nextInt(THREADS)).interrupt();
                TimeUnit.MICROSECONDS.sleep(500); // so that threads also get somewhere between two interrupts
            }
            for (FutureTask<Boolean> task : tasks) {
                assertThat(task.get()).isTrue();
            }
            await().until(() -> Use.of(client.locks()).leases() == 0
                    && Use.of(client.locks()).queues() == 0);
            assertThat(Use.of(client.locks()).threads()).isZero();
            assertThat(store.isFree()).isTrue();
            assertThat(refusals.get()).isPositive();
            assertThat((long) grants.get()).as("grants, some of them handed on").isGreaterThan(store.grants());
        }
    }

    /** Whether the hand-off goes on is asked for one who leaves just then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nextOneGetsTheLeaseThoughTheOneItWasAskedForHasLeft(boolean otherProcessWaits) throws Exception {
        try (RowlockClient client = client(new Handoff(1, Duration.ofMinutes(1)))) {
            LockRequest patient = LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(30));
            HeldLock first = client.acquire(patient);
            List<FutureTask<HeldLock>> others = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                FutureTask<HeldLock> other = new FutureTask<>(() -> client.acquire(patient));
                threads.add(inLine(other));
                others.add(other);
            }
            first.close();
            HeldLock handedOn = others.get(0).get(20, TimeUnit.SECONDS);
            store.waitedFor = () -> {
                threads.get(1).interrupt();
                await().until(others.get(1)::isDone);
                return otherProcessWaits;
            };
            handedOn.close();
            try (HeldLock lock = others.get(2).get(20, TimeUnit.SECONDS)) {
                assertThat(lock.isHeld()).isTrue();
                assertThat(lock.fencingToken() == handedOn.fencingToken() + 1).isNotEqualTo(otherProcessWaits);
                assertThat(store.isFree()).isFalse();
            }
        }
    }

    /** Else it could lose the lease before the one that asks knows that it has left it. */
    @Test
    void noThreadFollowsWhileItIsAskedWhetherTheHandoffGoesOn() throws Exception {
        try (RowlockClient client = client(new Handoff(1, Duration.ofMinutes(1)))) {
            LockRequest patient = LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(30));
            HeldLock first = client.acquire(patient);
            FutureTask<HeldLock> second = new FutureTask<>(() -> client.acquire(patient));
            inLine(second);
            first.close();
            HeldLock handedOn = second.get(20, TimeUnit.SECONDS);
            FutureTask<HeldLock> next = new FutureTask<>(() -> client.acquire(patient));
            inLine(next);
            AtomicInteger questions = new AtomicInteger();
            store.waitedFor = () -> {
                assertThatExceptionOfType(LockNotAcquiredException.class)
                        .isThrownBy(() -> client.acquire(LockRequest.exclusive("a")));
                assertThatExceptionOfType(TimeoutException.class)
                        .isThrownBy(() -> next.get(100, TimeUnit.MILLISECONDS));
                questions.incrementAndGet(); // not if one of them fails, which is taken for a yes
                return false;
            };
            handedOn.close();
            try (HeldLock lock = next.get(20, TimeUnit.SECONDS)) {
                assertThat(questions).hasValue(1);
                assertThat(lock.fencingToken()).isEqualTo(first.fencingToken() + 2);
            }
        }
    }

    /** No question is asked for a thread that could not follow anyway. */
    @Test
    void leaseIsGivenBackAtOnceIfTheNextDoesNotFit() throws Exception {
        try (RowlockClient client = client(new Handoff(1, Duration.ofMinutes(1)))) {
            store.waitedFor = () -> {
                throw new AssertionError("asked");
            };
            LockRequest patient = LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(30));
            HeldLock first = client.acquire(patient);
            FutureTask<HeldLock> misfit =
                    new FutureTask<>(() -> client.acquire(patient.withTtl(Duration.ofMinutes(9))));
            inLine(misfit);
            first.close();
            try (HeldLock lock = misfit.get(20, TimeUnit.SECONDS)) {
                assertThat(lock.fencingToken()).isGreaterThan(first.fencingToken());
            }
        }
    }

    /** It was kept out by the one before it only, who waits no longer. */
    @Test
    void readerBehindAWriterWhoGaveUpJoinsTheReaderInside() throws Exception {
        try (RowlockClient client = client(new Handoff(20, Duration.ofMinutes(1)))) {
            LockRequest reading = LockRequest.shared("a").withWaitTime(Duration.ofSeconds(30));
            HeldLock exclusive = client.acquire(LockRequest.exclusive("a"));
            FutureTask<HeldLock> inside = new FutureTask<>(() -> client.acquire(reading));
            inLine(inside);
            exclusive.close();
            HeldLock reader = inside.get(20, TimeUnit.SECONDS);
            FutureTask<HeldLock> writer = new FutureTask<>(
                    () -> client.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(2))));
            inLine(writer);
            FutureTask<HeldLock> behind = new FutureTask<>(() -> client.acquire(reading));
            inLine(behind);
            assertThatThrownBy(() -> writer.get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LockNotAcquiredException.class);
            assertThat(behind.get(10, TimeUnit.SECONDS).fencingToken()).isEqualTo(reader.fencingToken());
            behind.get().close();
            reader.close();
        }
    }

    /** Has a thread run it, and waits until the thread waits for a lock. */
    static Thread inLine(FutureTask<?> task) {
        Thread thread = new Thread(task, "in line");
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }

    private boolean rush(RowlockClient client) {
        for (int round = 0; round < ROUNDS; round++) {
            LockMode mode = ThreadLocalRandom.current().nextInt(3) == 0 ? LockMode.EXCLUSIVE : LockMode.SHARED;
            Duration patience = Duration.ofNanos(ThreadLocalRandom.current().nextInt(1_000_000));
            LockRequest request = mode == LockMode.EXCLUSIVE ? LockRequest.exclusive("a") : LockRequest.shared("a");
            try (HeldLock lock = client.acquire(request.withWaitTime(patience))) {
                grants.incrementAndGet();
                visit(lock);
            } catch (LockNotAcquiredException e) {
                refusals.incrementAndGet();
            }
            boolean unused = Thread.interrupted();
        }
        return true;
    }

    private void visit(HeldLock lock) {
        AtomicInteger mine = lock.mode() == LockMode.EXCLUSIVE ? writers : readers;
        int inside = mine.incrementAndGet();
        LockSupport.parkNanos(1_000);
        assertThat(lock.mode() == LockMode.EXCLUSIVE ? inside + readers.get() - 1 : writers.get())
                .isZero();
        assertThat(lock.isHeld()).isTrue();
        mine.decrementAndGet();
    }
}
