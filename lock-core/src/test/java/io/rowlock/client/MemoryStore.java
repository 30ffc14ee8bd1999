package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.QueueTicket;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** Leases that run out only when a test says so, for tests of what a process does with them. */
public final class MemoryStore implements LockStore {
    private final Set<Lease> live = new HashSet<>();
    private long grants;

    /** Sometimes, so that a lease goes on and ends either way. */
    volatile BooleanSupplier waitedFor = () -> ThreadLocalRandom.current().nextBoolean();

    /** As a store that asks for one key with a statement, unless a test says otherwise. */
    public volatile int keysAtOnce = 1;

    @Override
    public int mostKeysAtOnce() {
        return keysAtOnce;
    }

    @Override
    public String strategy() {
        return "memory";
    }

    @Override
    public boolean supports(LockMode mode) {
        return true;
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofSeconds(1);
    }

    /** How often each lease may have been handed on when it has been held that long. */
    volatile ToLongFunction<Duration> mostHandoffs = held -> Lease.MOST_HANDOFFS;

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return mostHandoffs.applyAsLong(held);
    }

    @Override
    public synchronized Attempt tryAcquire(LeaseRequest request) {
        boolean shared = request.mode() == LockMode.SHARED;
        boolean free = live.stream()
                .filter(lease -> lease.key().equals(request.key()))
                .allMatch(lease -> shared && lease.mode() == LockMode.SHARED);
        if (!free) {
            return new Attempt.Busy(Optional.empty());
        }
        Lease lease = new Lease(
                request.key(), request.mode(), shared ? request.nonce() : 0, ++grants * Lease.TOKENS, request.owner());
        live.add(lease);
        return new Attempt.Granted(lease);
    }

    /** How many leases it has given out. */
    public synchronized long grants() {
        return grants;
    }

    public synchronized boolean isFree() {
        return live.isEmpty();
    }

    /** Where waiters queue, if there is a queue. */
    volatile Optional<QueueTicket> ticket = Optional.empty();

    @Override
    public Optional<QueueTicket> lineUp(LeaseRequest request) {
        return ticket;
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        return waitedFor.getAsBoolean();
    }

    @Override
    public boolean drained(Lease lease) {
        return true;
    }

    @Override
    public synchronized Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return leases.stream()
                .collect(Collectors.toMap(
                        Function.identity(), lease -> live.contains(lease) ? Renewal.RENEWED : Renewal.LOST));
    }

    /** From now on nobody has any lease. The next renewal says so. */
    public synchronized void loseAll() {
        live.clear();
    }

    @Override
    public synchronized Renewal resetTtl(Lease lease, Duration ttl, long change) {
        return live.contains(lease) ? Renewal.RENEWED : Renewal.LOST;
    }

    @Override
    public synchronized boolean release(Lease lease) {
        return live.remove(lease);
    }

    @Override
    public Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return Optional.of(exclusive);
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return true;
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return Optional.empty();
    }
}
