package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.QueueTicket;
import io.rowlock.store.Renewal;
import io.rowlock.store.StoreInspection;
import io.rowlock.test.TicketWith;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The real store, with what a test wants to happen before, after or instead of a call. Counts every call. */
final class ScriptedStore implements LockStore {
    final AtomicInteger calls = new AtomicInteger();
    final AtomicInteger renewals = new AtomicInteger();
    volatile Script<LeaseRequest, Attempt> acquiring = Script.asIs();
    volatile Script<Lease, Boolean> draining = Script.asIs();
    volatile Script<List<Lease>, Map<Lease, Renewal>> renewing = Script.asIs();
    volatile Script<Lease, Boolean> releasing = Script.asIs();
    volatile Script<Lease, Optional<Lease>> downgrading = Script.asIs();
    volatile Script<LeaseRequest, Boolean> abandoning = Script.asIs();
    volatile @Nullable Predicate<Lease> waitedFor;
    volatile Runnable askingForAny = () -> {};
    volatile Runnable resetting = () -> {};

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
    public boolean supports(LockMode mode) {
        return real.supports(mode);
    }

    @Override
    public Duration shortestTtl() {
        return real.shortestTtl();
    }

    @Override
    public boolean lastsForItsTtl() {
        return real.lastsForItsTtl();
    }

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return real.mostHandoffs(lease, held);
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        calls.incrementAndGet();
        return acquiring.call(request, real::tryAcquire);
    }

    @Override
    public int mostKeysAtOnce() {
        return real.mostKeysAtOnce();
    }

    @Override
    public Attempt tryAcquireAny(List<LeaseRequest> requests) {
        calls.incrementAndGet();
        askingForAny.run();
        return real.tryAcquireAny(requests);
    }

    @Override
    public boolean drained(Lease lease) {
        calls.incrementAndGet();
        return draining.call(lease, real::drained);
    }

    @Override
    public boolean drained(Lease lease, Consumer<ExpiredLease> found) {
        calls.incrementAndGet();
        return draining.call(lease, some -> real.drained(some, found));
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        calls.incrementAndGet();
        renewals.incrementAndGet();
        return renewing.call(leases, some -> real.renew(some, ttl));
    }

    @Override
    public Renewal resetTtl(Lease lease, Duration ttl, long change) {
        calls.incrementAndGet();
        renewals.incrementAndGet();
        resetting.run();
        return renewing.call(List.of(lease), some -> Map.of(lease, real.resetTtl(lease, ttl, change)))
                .getOrDefault(lease, Renewal.UNKNOWN);
    }

    @Override
    public Renewal releaseAfter(Lease lease, Duration rest, long change) {
        calls.incrementAndGet();
        renewals.incrementAndGet();
        return renewing.call(List.of(lease), some -> Map.of(lease, real.releaseAfter(lease, rest, change)))
                .getOrDefault(lease, Renewal.UNKNOWN);
    }

    @Override
    public boolean release(Lease lease) {
        calls.incrementAndGet();
        return releasing.call(lease, real::release);
    }

    @Override
    public void forget(Lease lease) {
        real.forget(lease);
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        Predicate<Lease> script = waitedFor;
        return script == null ? real.isWaitedFor(lease) : script.test(lease);
    }

    @Override
    public boolean isContended(String key) {
        return real.isContended(key);
    }

    /** Attempts from a place go through the script, too. */
    @Override
    public Optional<QueueTicket> lineUp(LeaseRequest request) {
        return real.lineUp(request)
                .map(place -> new TicketWith(place, (attempt, from) -> {
                    calls.incrementAndGet();
                    return acquiring.call(attempt, from::tryAcquire);
                }));
    }

    @Override
    public Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared) {
        calls.incrementAndGet();
        return downgrading.call(exclusive, lease -> real.downgrade(lease, token, shared));
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        calls.incrementAndGet();
        return abandoning.call(request, real::abandon);
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        calls.incrementAndGet();
        return real.holder(key, mode);
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return real.inspection();
    }
}
