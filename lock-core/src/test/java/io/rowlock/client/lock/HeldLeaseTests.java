package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.FullDisk;
import io.rowlock.client.PromptListener;
import io.rowlock.client.lock.OpenTransaction.OpenFence;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.Observation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** One test for each row of the table of a lease's phases. */
@Timeout(30)
class HeldLeaseTests {
    private static final Duration TTL = Duration.ofSeconds(90);

    private final AtomicLong clock = new AtomicLong(1_000);
    private final Store store = new Store();
    private Runnable whenReported = () -> {};
    private final List<String> log = new ArrayList<>();
    private final Observers observers = new Observers(
            clock::get,
            (strategy, lease, token, waited) -> new LockLog.Entry() {
                @Override
                public void released() {
                    log.add(lease.mode() + " released");
                }

                @Override
                public void lost() {
                    log.add(lease.mode() + " lost");
                }
            },
            LockInstrumentation.NONE,
            List.of(new PromptListener(event -> whenReported.run())));
    private final ProcessLocks process = new ProcessLocks(
            new RequestResolver(
                    List.of(store),
                    new LockClientSettings(
                            store.strategy(), TTL, Duration.ZERO, "", "me", true, null, new Handoff(0, Duration.ZERO))),
            observers);
    private final PendingReleases pending = process.pending;
    private final ResolvedRequest request = new ResolvedRequest(
            store, LockRequest.exclusive("k").withName("k"), "k", "k", LockMode.EXCLUSIVE, TTL, true, "me");
    private final KeyQueue queue = process.queues.use(request.id());
    private final ThreadLock holder = lock();
    private final HeldLease lease = granted();

    private ThreadLock lock() {
        return new ThreadLock(request, queue, process, new Observation(observers, ObservedLock.of(request)));
    }

    private HeldLease granted() {
        HeldLease managed =
                new HeldLease(new Lease("k", LockMode.EXCLUSIVE, 0, 7, "me"), request, clock.get(), null, holder);
        try {
            assertThat(queue.enter(holder, 0)).isEqualTo(ThreadLock.State.ASKING);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        queue.granted(managed, holder);
        holder.begin(Duration.ZERO);
        return managed;
    }

    @AfterEach
    void close() {
        process.close();
    }

    private void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    private void renewed(Renewal outcome, Duration ttl, Duration ago) {
        lease.renewal(outcome, ttl, clock.get() - ago.toNanos(), clock.get());
    }

    /** Whether the next thread may ask the store. */
    private boolean isTurnFree() throws InterruptedException {
        ThreadLock next = lock();
        boolean free = queue.enter(next, 0) == ThreadLock.State.ASKING;
        queue.forget(next);
        return free;
    }

    // ---- HELD

    @Test
    void heldIsReleasedOnce() throws Exception {
        assertThat(isTurnFree()).isFalse();
        holder.first.close();
        lease.ending.release(lease);
        assertThat(store.calls).containsExactly("release");
        assertThat(log).containsExactly("EXCLUSIVE released");
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.lostBecause()).isNull();
        assertThat(isTurnFree()).isTrue();
    }

    @Test
    void heldIsOverdueWhenItsTermIsOver() throws Exception {
        pass(TTL.minusNanos(1));
        assertThat(lease.isHeld()).isTrue();
        pass(Duration.ofNanos(1));
        assertThat(lease.isHeld()).isFalse();
        assertThat(log).as("before the clock is looked at").isEmpty();
        assertThat(lease.watch()).isNull();
        assertThat(log).containsExactly("EXCLUSIVE lost");
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(lease::requireHeld)
                .withMessageContaining(HeldLease.OVERDUE);
        assertThat(isTurnFree()).isTrue();
    }

    /** Else it would be interrupted as well; and an answer that came in time, but is looked at later, would bring the lease back. */
    @Test
    void heldIsOverdueAsSoonAsItsThreadFindsOut() {
        pass(TTL);
        assertThatThrownBy(lease::requireHeld).hasMessageContaining(HeldLease.OVERDUE);
        assertThat(log).containsExactly("EXCLUSIVE lost");
        lease.renewal(Renewal.RENEWED, TTL, clock.get() - TTL.dividedBy(2).toNanos(), clock.get() - 1);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void heldIsOverdueWhenTheAnswerToItsRenewalComesTooLate() {
        pass(TTL);
        renewed(Renewal.RENEWED, TTL, Duration.ofMinutes(1));
        assertThat(log).containsExactly("EXCLUSIVE lost");
        assertThat(holder.isLost()).isTrue();
        renewed(Renewal.RENEWED, TTL, Duration.ZERO);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void heldIsLostWhenItIsGoneInTheStoreAndNothingIsReleased() {
        AtomicBoolean told = new AtomicBoolean();
        holder.first.onLost(event -> told.set(event.fencingToken() == 7), event -> {});
        lease.gone(HeldLease.FORCED);
        lease.gone(HeldLease.GONE);
        assertThat(told).isTrue();
        assertThat(log).containsExactly("EXCLUSIVE lost");
        holder.first.close();
        assertThat(store.calls).isEmpty();
        assertThatThrownBy(lease::requireHeld).hasMessageContaining(HeldLease.FORCED);
    }

    @Test
    void renewalMakesItLongerAndAnOlderAnswerNotShorter() {
        pass(Duration.ofSeconds(30));
        renewed(Renewal.RENEWED, Duration.ofMinutes(15), Duration.ofSeconds(1));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(899));
        renewed(Renewal.RENEWED, TTL, Duration.ofSeconds(2));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(899));
        assertThat(lease.ttl()).isEqualTo(Duration.ofMinutes(15));
    }

    /** Its holder counts on all of its ttl, though the store has promised less so far. */
    @Test
    void extensionMakesAPromisedLeaseThatIsNotRenewedNoShorter() {
        ResolvedRequest unrenewed = new ResolvedRequest(
                store, LockRequest.exclusive("k").withName("k"), "k", "k", LockMode.EXCLUSIVE, TTL, false, "me");
        HeldLease promised = new HeldLease(
                new Lease("k", LockMode.EXCLUSIVE, 0, 8, "me"), unrenewed, clock.get(), Duration.ofSeconds(3), holder);
        store.renewal = Renewal.RENEWED;
        for (Duration shorter : List.of(Duration.ofSeconds(1), Duration.ofSeconds(5))) {
            process.renewer.extend(promised, shorter);
            assertThat(promised.ttl()).isEqualTo(TTL);
            assertThat(promised.remaining()).isEqualTo(TTL);
        }
    }

    /** Its work may go on unseen for its ttl, which is longer than what the store has promised so far. */
    @Test
    void promiseIsMadeItsTtlThoughItsHolderHasLeftItToThat() {
        ThreadLock left = lock();
        left.first.givenUp = true;
        HeldLease promised = new HeldLease(
                new Lease("k", LockMode.EXCLUSIVE, 0, 8, "me"), request, clock.get(), Duration.ofSeconds(3), left);
        assertThat(promised.beginRenewal()).isTrue();
        promised.renewal(Renewal.RENEWED, TTL, clock.get(), clock.get());
        assertThat(promised.remaining()).isEqualTo(TTL);
        assertThat(promised.beginRenewal()).isFalse();
    }

    @Test
    void leaseThatItsHolderHasLeftToItsTtlIsLookedAtOnceMoreAtItsEnd() {
        long end = clock.get() + TTL.toNanos();
        holder.first.givenUp = true;
        pass(TTL.dividedBy(3).multipliedBy(2));
        assertThat(lease.watch())
                .as("a time that is past would be looked at without a pause")
                .isEqualTo(end);
        pass(TTL.dividedBy(3));
        assertThat(lease.watch()).isNull();
    }

    @Test
    void checkOfATransactionSuspendsRenewalAndClock() {
        OpenFence fence = new OpenFence(lease, lease.lease(), Thread.currentThread(), checked -> true, () -> true);
        lease.fenceOpened(fence);
        assertThat(lease.fences()).containsExactly(fence);
        assertThat(lease.renewalDue()).isNull();
        pass(TTL);
        assertThat(lease.watch()).isNull();
        assertThat(log).isEmpty();
        lease.fenceClosed(fence);
        assertThat(log).containsExactly("EXCLUSIVE lost");
    }

    @Test
    void leaseThatIsReleasedWhileItsGrantIsReportedIsNotLost() throws Exception {
        holder.first.close();
        log.clear();
        ThreadLock next = lock();
        assertThat(queue.enter(next, 0)).isEqualTo(ThreadLock.State.ASKING);
        HeldLease ended =
                new HeldLease(new Lease("k", LockMode.EXCLUSIVE, 0, 8, "me"), request, clock.get(), null, next);
        queue.granted(ended, next);
        whenReported = () -> {
            whenReported = () -> {};
            ended.ending.release(ended);
        };
        next.begin(Duration.ZERO);
        assertThat(log).containsExactly("EXCLUSIVE released");
        assertThat(next.isLost()).isFalse();
    }

    @Test
    void lossThatAnErrorKeepsFromItsHolderEndsALockThatNoThreadCanClose() {
        holder.first.onLost(
                event -> {
                    throw new OutOfMemoryError("test");
                },
                event -> {});
        holder.first.givenUp = true;
        pass(TTL);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(lease::watch);
        assertThat(lease.watch()).isNull();
        assertThat(Use.of(process).threads()).isZero();
    }

    @Test
    void lossThatCannotBeLoggedIsTold() {
        AtomicInteger told = new AtomicInteger();
        holder.first.onLost(event -> told.incrementAndGet(), event -> {});
        FullDisk.during(HeldLease.class, () -> lease.gone(HeldLease.FORCED));
        assertThat(told).hasValue(1);
    }

    @Test
    void reasonOfAFailedRenewalIsLoggedThoughItWasReportedAsLate() {
        Logger logger = (Logger) LoggerFactory.getLogger(HeldLease.class);
        ListAppender<ILoggingEvent> warnings = new ListAppender<>();
        warnings.start();
        AtomicInteger reports = new AtomicInteger();
        whenReported = reports::incrementAndGet;
        logger.addAppender(warnings);
        try {
            pass(Duration.ofSeconds(61));
            assertThat(lease.watch()).isNotNull();
            lease.renewalFailed("no answer");
            lease.renewalFailed("no answer again");
            assertThat(lease.watch()).isNotNull();
        } finally {
            logger.detachAppender(warnings);
        }
        assertThat(warnings.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "The lock \"k\" (token 7) is at risk: its renewal is late",
                        "The lock \"k\" (token 7) is at risk: no answer");
        process.close(); // which waits for listeners
        assertThat(reports).as("one risk").hasValue(1);
    }

    @Test
    void allActionsOfAGrantAreTold() {
        AtomicInteger told = new AtomicInteger();
        for (int i = 0; i < 10_000; i++) {
            holder.first.onLost(event -> told.incrementAndGet(), event -> {});
        }
        lease.gone(HeldLease.FORCED);
        assertThat(told).hasValue(10_000);
    }

    @Test
    void closedGrantHearsNothingOfALossUnderAnother() {
        AtomicInteger told = new AtomicInteger();
        ThreadLock.Grant inner = Objects.requireNonNull(holder.enter(request));
        inner.onLost(event -> told.addAndGet(10), event -> {});
        inner.close();
        inner.onLost(event -> told.addAndGet(100), event -> {});
        holder.first.onLost(event -> told.incrementAndGet(), event -> {});
        lease.gone(HeldLease.FORCED);
        assertThat(told).hasValue(1);
    }

    // ---- CHANGING

    @Test
    void downgradedLeaseGivesItsPlaceToASharedOne() throws Exception {
        ThreadLock.Grant reader = reader();
        holder.first.close();
        assertThat(store.calls).containsExactly("downgrade");
        assertThat(holder.lease()).isNotSameAs(lease);
        assertThat(holder.lease().isHeld()).isTrue();
        assertThat(log).containsExactly("EXCLUSIVE released");
        assertThat(isTurnFree()).isTrue();
        reader.close();
        assertThat(log).containsExactly("EXCLUSIVE released", "SHARED released");
    }

    @Test
    void renewalThatFindsNothingIsIgnoredWhileTheLeaseIsChanging() {
        store.downgrade = () -> {
            assertThat(lease.isHeld()).isTrue();
            assertThat(lease.renewalDue()).isNull();
            renewed(Renewal.LOST, TTL, Duration.ZERO);
            return new Downgrade.Unchanged();
        };
        ThreadLock.Grant unused = reader();
        holder.first.close();
        assertThat(holder.lease()).isSameAs(lease);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.renewalDue()).isNotNull();
        assertThat(log).isEmpty();
    }

    @Test
    void leaseStaysAsItWasIfTheStoreWasNotReached() {
        store.downgrade = () -> {
            throw new LockStoreException("off", null);
        };
        ThreadLock.Grant unused = reader();
        holder.first.close();
        assertThat(holder.lease()).isSameAs(lease);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void downgradeWithoutAnAnswerLosesTheLease() {
        store.downgrade = () -> {
            pass(Duration.ofSeconds(4));
            throw new UncertainOutcomeException("no answer", null);
        };
        ThreadLock.Grant unused = reader();
        holder.first.close();
        assertThat(store.calls).containsOnly("downgrade").hasSizeGreaterThan(2);
        assertThat(log).containsExactly("EXCLUSIVE lost");
        assertThat(pending.size()).as("either lease").isEqualTo(2);
    }

    @Test
    void downgradeWithoutAnAnswerIsAskedForAgain() {
        Supplier<Downgrade> done = store.downgrade;
        store.downgrade = () -> {
            store.downgrade = done;
            throw new UncertainOutcomeException("no answer", null);
        };
        ThreadLock.Grant unused = reader();
        holder.first.close();
        assertThat(holder.lease()).isNotSameAs(lease);
        assertThat(holder.lease().isHeld()).isTrue();
        assertThat(pending.size()).isZero();
    }

    @Test
    void downgradeThatFindsItGoneLosesTheLease() {
        store.downgrade = Downgrade.Lost::new;
        ThreadLock.Grant unused = reader();
        holder.first.close();
        assertThat(log).containsExactly("EXCLUSIVE lost");
        assertThat(pending.size()).isZero();
    }

    @Test
    void downgradeThatIsAnsweredAfterTheTermLosesTheLeaseAndReleasesTheOther() {
        Supplier<Downgrade> done = store.downgrade;
        store.downgrade = () -> {
            pass(TTL);
            lease.watch();
            return done.get();
        };
        ThreadLock.Grant unused = reader();
        holder.first.close();
        assertThat(holder.isLost()).isTrue();
        assertThat(pending.clear(request.id(), Deadline.after(TTL, clock::get))).isTrue();
        assertThat(store.calls).containsExactly("downgrade", "release");
        assertThat(log).containsExactly("EXCLUSIVE lost");
    }

    private ThreadLock.Grant reader() {
        return Objects.requireNonNull(holder.enter(request.shared(TTL)));
    }

    // ---- RELEASING

    @Test
    void renewalThatFindsNothingIsIgnoredWhileTheLeaseIsReleased() {
        store.release = () -> {
            renewed(Renewal.LOST, TTL, Duration.ZERO);
            return true;
        };
        holder.first.close();
        assertThat(log).containsExactly("EXCLUSIVE released");
    }

    @Test
    void releaseThatFindsItGoneLosesIt() {
        store.release = () -> false;
        holder.first.close();
        assertThat(log).containsExactly("EXCLUSIVE lost");
        assertThat(holder.isLost()).isTrue();
    }

    @Test
    void releaseWithoutAnAnswerIsConfirmedLater() throws Exception {
        store.release = () -> {
            throw new UncertainOutcomeException("no answer", null);
        };
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> holder.first.close());
        assertThat(lease.isHeld()).isFalse();
        assertThat(log).isEmpty();
        assertThat(isTurnFree()).isTrue();
        store.release = () -> false; // the first call has ended it
        assertThat(pending.clear(request.id(), Deadline.after(TTL, clock::get))).isTrue();
        assertThat(log).containsExactly("EXCLUSIVE released");
    }

    @Test
    void releaseThatIsAnsweredAfterTheTermConfirmsNothing() {
        store.release = () -> {
            throw new UncertainOutcomeException("no answer", null);
        };
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> holder.first.close());
        store.release = () -> false;
        pass(TTL);
        boolean unused = pending.clear(request.id(), Deadline.after(TTL, clock::get));
        assertThat(log).isEmpty();
    }

    // ---- OVERDUE

    @Test
    void restOfAnOverdueLeaseIsReleasedOnceInTheBackground() {
        pass(TTL);
        holder.first.close();
        lease.ending.release(lease);
        assertThat(store.calls).isEmpty();
        assertThat(pending.clear(request.id(), Deadline.after(TTL, clock::get))).isTrue();
        assertThat(pending.clear(request.id(), Deadline.after(TTL, clock::get))).isFalse();
        assertThat(store.calls).containsExactly("release");
        assertThat(log).containsExactly("EXCLUSIVE lost");
    }

    @Test
    void restOfAnOverdueLeaseIsNotReleasedBeforeItsMinimumIsOver() {
        lease.keepFor(TTL.plusSeconds(10));
        pass(TTL);
        holder.first.close();
        assertThat(store.calls).isEmpty();
        pass(Duration.ofSeconds(10));
        lease.ending.release(lease);
        assertThat(pending.clear(request.id(), Deadline.after(TTL, clock::get))).isTrue();
        assertThat(store.calls).containsExactly("release");
    }

    @Test
    void overdueLeaseThatIsGoneInTheStoreNeedsNoRelease() {
        pass(TTL);
        lease.watch();
        lease.gone(HeldLease.GONE);
        holder.first.close();
        assertThat(store.calls).isEmpty();
        assertThat(log).containsExactly("EXCLUSIVE lost");
    }

    @Test
    void leaseIsKeptForTheRestOfItsMinimum() {
        lease.keepFor(Duration.ofSeconds(20));
        pass(Duration.ofSeconds(5));
        holder.first.close();
        assertThat(store.calls).containsExactly("release after PT15S");
        assertThat(log).containsExactly("EXCLUSIVE released");
    }

    /** Nothing is called under the guard of a key. */
    private final class Store implements LockStore {
        private final List<String> calls = new ArrayList<>();
        private @Nullable Renewal renewal;
        private Supplier<Boolean> release = () -> true;
        private Supplier<Downgrade> downgrade = () -> new Downgrade.Shared(new Lease("k", LockMode.SHARED, 1, 7, "me"));

        private void called(String what) {
            calls.add(what);
            assertThat(Thread.holdsLock(queue)).isFalse();
        }

        @Override
        public String strategy() {
            return "scripted";
        }

        @Override
        public StoreCapabilities capabilities() {
            return new StoreCapabilities(
                    Set.of(LockMode.EXCLUSIVE, LockMode.SHARED), Duration.ofSeconds(1), true, (fence, held) -> 0);
        }

        @Override
        public Attempt tryAcquire(LeaseRequest wanted) {
            return new Attempt.Busy(Optional.empty());
        }

        @Override
        public boolean abandon(LeaseRequest wanted) {
            return true;
        }

        @Override
        public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
            return renewal == null ? Map.of() : Map.of(leases.get(0), renewal);
        }

        @Override
        public Downgrade downgrade(Lease exclusive, long token, LeaseRequest wanted) {
            called("downgrade");
            return downgrade.get();
        }

        @Override
        public boolean release(Lease released, Duration keepFor) {
            called(keepFor.isZero() ? "release" : "release after " + keepFor);
            return release.get();
        }
    }
}
