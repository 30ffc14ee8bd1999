package io.rowlock.client;

import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The real store, with what a test wants to happen before, after or instead of a call. Counts every call. */
final class ScriptedStore implements LockStore {
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger renewals = new AtomicInteger();
    volatile Script<LeaseRequest, Attempt> acquiring = Script.asIs();
    volatile Script<Lease, Drained> draining = Script.asIs();
    volatile Script<List<Lease>, Map<Lease, Renewal>> renewing = Script.asIs();
    volatile Script<Lease, Boolean> releasing = Script.asIs();
    volatile Script<Lease, Downgrade> downgrading = Script.asIs();
    volatile Script<LeaseRequest, Boolean> abandoning = Script.asIs();
    volatile @Nullable Predicate<Lease> waitedFor;

    /** The request of the last waiter that joined the queue. */
    volatile @Nullable LeaseRequest joined;

    private final LockStore real;

    ScriptedStore(LockStore real) {
        this.real = real;
    }

    /** What becomes of a call. */
    @FunctionalInterface
    interface Script<I, O> {
        O call(I input, Real<I, O> real);

        static <I, O> Script<I, O> asIs() {
            return (input, real) -> real.call(input);
        }
    }

    /** The call to the database. */
    @FunctionalInterface
    interface Real<I, O> {
        O call(I input);
    }

    @Override
    public String strategy() {
        return real.strategy();
    }

    @Override
    public StoreCapabilities capabilities() {
        return real.capabilities();
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        calls.incrementAndGet();
        return acquiring.call(request, real::tryAcquire);
    }

    @Override
    public Drained drained(Lease lease) {
        calls.incrementAndGet();
        return draining.call(lease, real::drained);
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        calls.incrementAndGet();
        renewals.incrementAndGet();
        return renewing.call(leases, some -> real.renew(some, ttl));
    }

    @Override
    public boolean release(Lease lease, Duration keepFor) {
        calls.incrementAndGet();
        return releasing.call(lease, released -> real.release(released, keepFor));
    }

    @Override
    public WaitQueue queue() {
        WaitQueue queue = real.queue();
        return new WaitQueue() {
            /** Attempts with a ticket go through the script, too. */
            @Override
            public Optional<QueuePosition> join(LeaseRequest request) {
                joined = request;
                return queue.join(request).map(Ticket::new);
            }

            @Override
            public boolean isContended(String key) {
                return queue.isContended(key);
            }

            @Override
            public boolean isWaitedFor(Lease lease) {
                Predicate<Lease> script = waitedFor;
                return script == null ? queue.isWaitedFor(lease) : script.test(lease);
            }

            @Override
            public void forget(Lease lease) {
                queue.forget(lease);
            }
        };
    }

    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        calls.incrementAndGet();
        return downgrading.call(exclusive, lease -> real.downgrade(lease, token, shared));
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        calls.incrementAndGet();
        return abandoning.call(request, real::abandon);
    }

    @Override
    public Optional<StoreInspection> inspection() {
        calls.incrementAndGet();
        return real.inspection();
    }

    private final class Ticket implements QueuePosition {
        private final QueuePosition place;

        Ticket(QueuePosition place) {
            this.place = place;
        }

        @Override
        public void await(Duration atMost) throws InterruptedException {
            place.await(atMost);
        }

        @Override
        public Attempt tryAcquire(LeaseRequest request) {
            calls.incrementAndGet();
            return acquiring.call(request, place::tryAcquire);
        }

        @Override
        public void close() {
            place.close();
        }
    }
}
