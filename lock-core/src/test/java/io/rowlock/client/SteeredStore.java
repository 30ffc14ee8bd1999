package io.rowlock.client;

import io.rowlock.LockMode;
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
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/** The store in memory, for tests of what a process does with its leases: what other processes do is up to the test. */
public final class SteeredStore implements LockStore, WaitQueue {
    private final InMemoryLockStore locks;
    private final LockMode[] modes;
    private final Set<Lease> live = ConcurrentHashMap.newKeySet();
    private final AtomicLong grants = new AtomicLong();
    private final AtomicLong renewals = new AtomicLong();

    /** Sometimes, so that a lease goes on and ends either way. */
    volatile BooleanSupplier waitedFor = () -> ThreadLocalRandom.current().nextBoolean();

    /** How often each lease may have been handed on when it has been held that long. */
    volatile ToLongFunction<Duration> mostHandoffs = held -> Lease.MOST_HANDOFFS;

    /** What happens before it answers that a lease stays exclusive. */
    volatile Runnable downgrading = () -> {};

    /** Runs before it is asked for a lease. */
    volatile Runnable acquiring = () -> {};

    /** Runs before it renews leases. */
    volatile Runnable renewing = () -> {};

    /** Runs before it releases a lease. */
    volatile Runnable releasing = () -> {};

    /** Where those wait that find it taken, if not by asking now and then. */
    volatile Optional<QueuePosition> ticket = Optional.empty();

    public SteeredStore() {
        this(InMemoryLockStore.NAME, LockMode.values());
    }

    public SteeredStore(String strategy, LockMode... modes) {
        this.locks = new InMemoryLockStore().named(strategy);
        this.modes = modes;
    }

    @Override
    public String strategy() {
        return locks.strategy();
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                Set.of(modes), Duration.ofSeconds(1), true, (fence, held) -> mostHandoffs.applyAsLong(held));
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        acquiring.run();
        Attempt attempt = locks.tryAcquire(request);
        if (attempt instanceof Attempt.Granted granted) {
            taken(granted.lease());
        } else if (attempt instanceof Attempt.Draining draining) {
            taken(draining.lease());
        }
        return attempt;
    }

    private void taken(Lease lease) {
        grants.incrementAndGet();
        live.add(lease);
    }

    /** How many leases it has given out. */
    public long grants() {
        return grants.get();
    }

    public boolean isFree() {
        return live.isEmpty();
    }

    /** How often it was asked to renew leases. */
    public long renewals() {
        return renewals.get();
    }

    /** From now on every lease is lost. The next renewal finds out. */
    public void loseAll() {
        live.forEach(locks::expire);
        live.clear();
    }

    @Override
    public WaitQueue queue() {
        return this;
    }

    @Override
    public Optional<QueuePosition> join(LeaseRequest request) {
        return ticket;
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        return waitedFor.getAsBoolean();
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return locks.abandon(request);
    }

    @Override
    public Drained drained(Lease lease) {
        return locks.drained(lease);
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        renewing.run();
        renewals.incrementAndGet();
        return locks.renew(leases, ttl);
    }

    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        downgrading.run();
        return new Downgrade.Unchanged();
    }

    @Override
    public boolean release(Lease lease, Duration keepFor) {
        releasing.run();
        live.remove(lease);
        return locks.release(lease, keepFor);
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.empty();
    }
}
