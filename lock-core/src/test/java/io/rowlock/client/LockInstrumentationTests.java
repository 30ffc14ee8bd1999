package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.Use;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.request.Handoff;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The instrumentation is notified of every wait and hold, once, and can do no harm. */
@Timeout(60)
class LockInstrumentationTests {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final SteeredStore store = new SteeredStore();
    private final Recording recording = new Recording();
    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final RowlockClient client = client(recording, Duration.ofMinutes(10));
    private final RowlockClient hasty = client(recording, Duration.ofSeconds(1));

    private RowlockClient client(LockInstrumentation instrumentation, Duration ttl) {
        return builder(instrumentation, ttl).build();
    }

    private RowlockClientBuilder builder(LockInstrumentation instrumentation, Duration ttl) {
        return RowlockClient.builder(store)
                .ttl(ttl)
                .waitTime(Duration.ZERO)
                .listeners(List.of(new PromptListener(events::add)))
                .instrumentation(instrumentation);
    }

    @AfterEach
    void close() {
        client.close();
        hasty.close();
    }

    /** Records each notification. */
    private static final class Recording implements LockInstrumentation {
        final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public Measurement waiting(ObservedLock lock) {
            told.add("wait " + lock.name() + " " + lock.key() + " " + lock.mode() + " " + lock.strategy());
            return measured("");
        }

        @Override
        public Measurement holding(ObservedLock lock, long fencingToken) {
            told.add("hold " + lock.key());
            return measured("hold ");
        }

        private Measurement measured(String what) {
            return new Measurement() {
                @Override
                public void ended(Outcome how, long fencingToken) {
                    switch (how) {
                        case ACQUIRED -> told.add("acquired " + fencingToken);
                        case RELEASED -> told.add("released");
                        default -> told.add(what + how.name().toLowerCase(Locale.ROOT));
                    }
                }

                @Override
                public void failed(Throwable failure) {
                    told.add(what + "failed");
                }
            };
        }

        @Override
        public void renewal(String strategy, RenewalOutcome outcome, int leases, Duration took) {
            told.add("renewal " + outcome + " " + leases);
        }

        @Override
        public void count(Incident what, ObservedLock lock) {
            switch (what) {
                case HANDED_ON -> told.add("handed on");
                case LOST -> told.add("lost " + lock.key());
                case ABANDONED -> told.add("abandoned " + lock.name() + " " + lock.key());
                default -> {}
            }
        }
    }

    @Test
    void waitAndHoldAreToldOnceEach() {
        HeldLock lock = client.acquire(LockRequest.exclusive("order:1"));
        client.acquire(LockRequest.exclusive("order:1")).close();
        lock.close();
        lock.close();
        assertThat(recording.told)
                .containsExactly(
                        "wait order order:1 EXCLUSIVE memory",
                        "hold order:1",
                        "acquired " + lock.fencingToken(),
                        "released");
    }

    @Test
    void waitInVainIsBusy() {
        store.tryAcquire(Requests.of("k", LockMode.EXCLUSIVE).leaseRequest(LONG));
        assertThatThrownBy(() -> client.acquire(LockRequest.exclusive("k").withName("mine")))
                .isInstanceOf(LockNotAcquiredException.class);
        assertThat(recording.told).containsExactly("wait mine k EXCLUSIVE memory", "busy");
        await().until(() -> events.size() == 1);
        assertThat(events.get(0)).satisfies(event -> {
            assertThat(event.type()).isEqualTo(LockEvent.Type.BUSY);
            assertThat(event.key()).isEqualTo("k");
            assertThat(event.name()).isEqualTo("mine");
            assertThat(event.fencingToken()).isZero();
            assertThat(event.owner()).isEqualTo("owner");
        });
    }

    @Test
    void keysOfWhichOneIsTakenAreToldOfOneByOne() {
        store.tryAcquire(Requests.of("p:1", LockMode.EXCLUSIVE).leaseRequest(LONG));
        List<LockRequest> wanted =
                Stream.of("p:1", "p:2", "p:3").map(LockRequest::exclusive).toList();
        client.tryAcquireAny(wanted).orElseThrow().close();
        assertThat(recording.told)
                .filteredOn(told -> !told.startsWith("acquired"))
                .containsExactlyInAnyOrder(
                        "wait p p:1 EXCLUSIVE memory", "busy", "wait p p:2 EXCLUSIVE memory", "hold p:2", "released");
        assertThat(recording.told)
                .filteredOn(told -> told.startsWith("acquired"))
                .hasSize(1);
        await().until(() -> events.stream()
                .anyMatch(event ->
                        event.type() == LockEvent.Type.BUSY && event.key().equals("p:1")));
    }

    @Test
    void allOfManyKeysAreToldToBeBusy() {
        List<LockRequest> wanted =
                Stream.of("p:1", "p:2").map(LockRequest::exclusive).toList();
        wanted.forEach(request -> store.tryAcquire(
                Requests.of(request.keys().get(0), LockMode.EXCLUSIVE).leaseRequest(LONG)));
        assertThat(client.tryAcquireAny(wanted)).isEmpty();
        assertThat(recording.told)
                .containsExactly("wait p p:1 EXCLUSIVE memory", "busy", "wait p p:2 EXCLUSIVE memory", "busy");
        await().until(() -> events.size() == 2);
        assertThat(events).extracting(LockEvent::type).containsOnly(LockEvent.Type.BUSY);
    }

    @Test
    void interruptedWaitIsToldAsSuchAndNotAsBusy() throws Exception {
        HeldLock lock = client.acquire(LockRequest.exclusive("k"));
        FutureTask<HeldLock> waiter =
                new FutureTask<>(() -> client.acquire(LockRequest.exclusive("k").withWaitTime(LONG)));
        Thread thread = new Thread(waiter);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        thread.interrupt();
        assertThatThrownBy(waiter::get).hasCauseInstanceOf(LockInterruptedException.class);
        assertThat(recording.told).contains("interrupted").doesNotContain("busy");
        lock.close();
        assertThat(events).extracting(LockEvent::type).doesNotContain(LockEvent.Type.BUSY);
    }

    @Test
    void localHandOffIsTold() throws Exception {
        HeldLock lock = client.acquire(LockRequest.exclusive("k"));
        FutureTask<Boolean> follower = new FutureTask<>(() -> {
            client.acquire(LockRequest.exclusive("k").withWaitTime(LONG)).close();
            return true;
        });
        Thread thread = new Thread(follower);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        lock.close();
        assertThat(follower.get(30, TimeUnit.SECONDS)).isTrue();
        // a hand-off that comes too late is a lease of its own
        assertThat(recording.told.contains("handed on")).isEqualTo(store.grants() == 1);
        assertThat(recording.told).filteredOn("released"::equals).hasSize(2);
    }

    @Test
    void lockWhoseThreadEndedIsToldOnce() {
        HeldLock lock = inAnotherThread(() -> hasty.acquire(LockRequest.exclusive("job:7")));
        await().until(() -> recording.told.contains("abandoned job job:7"));
        int renewals = recording.told.size();
        await().until(() -> recording.told.size() > renewals + 3);
        assertThat(recording.told).containsOnlyOnce("abandoned job job:7");
        lock.close();
        assertThat(recording.told).endsWith("released");
    }

    @Test
    void lossOfASharedLeaseIsCountedOnceAndEndsEveryHold() {
        // Both share a lease, however long the machine keeps the second from joining
        try (RowlockClient patient = builder(recording, Duration.ofMinutes(10))
                .handoff(new Handoff(1, Duration.ofMinutes(10)))
                .renewalInterval(Duration.ofMillis(300))
                .build()) {
            HeldLock first = patient.acquire(LockRequest.shared("k"));
            HeldLock second = inAnotherThread(() -> patient.acquire(LockRequest.shared("k")));
            assertThat(store.grants()).isOne();
            store.loseAll();
            await().until(() -> !first.isHeld() && !second.isHeld());
            await().until(() ->
                    recording.told.stream().filter("hold lost"::equals).count() == 2);
            first.close();
            second.close();
            assertThat(recording.told)
                    .doesNotContain("released")
                    .contains("renewal LOST 1")
                    .containsOnlyOnce("lost k");
            assertThat(events)
                    .extracting(LockEvent::type)
                    .filteredOn(LockEvent.Type.LOST::equals)
                    .hasSize(1);
        }
    }

    private static <T> T inAnotherThread(java.util.concurrent.Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        new Thread(task).start();
        try {
            return task.get(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void lossInterruptsTheBodyWhoseExceptionTheCallerSees() {
        LockRequest request = LockRequest.exclusive("k").withOnLost(OnLost.INTERRUPT);
        assertThatThrownBy(() -> hasty.execute(request, () -> {
                    store.loseAll();
                    Thread.sleep(30_000); // until the interrupt; not for ever if none comes
                }))
                .isInstanceOf(InterruptedException.class)
                .hasNoSuppressedExceptions();
        assertThat(Thread.interrupted()).isFalse();
        assertThat(Use.of(hasty.locks()).interruptible()).isZero();
    }

    @Test
    void bodyThatDoesNotNoticeLeavesNoInterruptBehind() {
        LockRequest request = LockRequest.exclusive("k").withOnLost(OnLost.INTERRUPT);
        String result = hasty.execute(request, () -> {
            store.loseAll();
            spinUntil(Thread.currentThread()::isInterrupted);
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void bodyIsNotInterruptedUnlessAskedFor() {
        HeldLock lock = hasty.acquire(LockRequest.exclusive("k"));
        store.loseAll();
        await().until(() -> !lock.isHeld());
        await().until(() -> recording.told.contains("lost k"));
        assertThat(Thread.interrupted()).isFalse();
        lock.close();
    }

    @Test
    void threadThatFindsOutByItselfIsNotInterrupted() {
        HeldLock lock = client.acquire(LockRequest.exclusive("k").withOnLost(OnLost.INTERRUPT));
        store.loseAll();
        assertThatThrownBy(() -> lock.extend(LONG)).isInstanceOf(LockLostException.class);
        assertThat(recording.told).contains("lost k");
        assertThat(Thread.interrupted()).isFalse();
        lock.close();
    }

    @Test
    void detachedLockInterruptsNoThread() {
        HeldLock lock = hasty.acquire(LockRequest.exclusive("k").withOnLost(OnLost.INTERRUPT));
        ((DetachableLock) lock).detach();
        store.loseAll();
        await().until(() -> recording.told.contains("lost k"));
        assertThat(Thread.interrupted()).isFalse();
        lock.close();
    }

    /** By spinning: who waits with the interrupt flag set is thrown out. */
    private static void spinUntil(BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean() && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void everyKeyOfARequestCanInterruptButOnce() {
        LockRequest request = LockRequest.exclusive("a", "b").withOnLost(OnLost.INTERRUPT);
        HeldLock lock = hasty.acquire(request);
        store.loseAll();
        spinUntil(() -> recording.told.contains("lost a") && recording.told.contains("lost b"));
        assertThat(Thread.interrupted()).isTrue();
        lock.close();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void instrumentationThatThrowsHarmsNoLock() {
        LockInstrumentation broken = new LockInstrumentation() {
            @Override
            public Measurement waiting(ObservedLock lock) {
                return new Measurement() {
                    @Override
                    public void ended(Outcome how, long fencingToken) {
                        throw new IllegalStateException("broken");
                    }
                };
            }

            @Override
            public Measurement holding(ObservedLock lock, long fencingToken) {
                throw new IllegalStateException("broken");
            }
        };
        try (RowlockClient measured = client(broken, LONG)) {
            try (HeldLock lock = measured.acquire(LockRequest.exclusive("k"))) {
                assertThat(lock.isHeld()).isTrue();
            }
        }
        assertThat(store.isFree()).isTrue();
    }
}
