package io.rowlock.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import io.rowlock.store.StoreInspection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** One node's view of {@link MemoryLocks}. */
final class MemoryLockStore implements LockStore {
    private static final int LONGEST_KEY = 255;

    private final MemoryLocks table;
    private final String strategy;

    MemoryLockStore(MemoryLocks table, String strategy) {
        this.table = table;
        this.strategy = strategy;
    }

    @Override
    public String strategy() {
        return strategy;
    }

    @Override
    public boolean supports(LockMode mode) {
        return true;
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofMillis(1);
    }

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return Lease.MOST_HANDOFFS;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        int length = request.key().getBytes(UTF_8).length;
        if (length > LONGEST_KEY) {
            throw new LockStoreException(
                    "The key \"%s\" has %d bytes; %d is the limit".formatted(request.key(), length, LONGEST_KEY), null);
        }
        return table.ask(request.key(), row -> row.tryAcquire(request));
    }

    @Override
    public boolean drained(Lease lease) {
        return drained(lease, expired -> {});
    }

    @Override
    public boolean drained(Lease lease, Consumer<ExpiredLease> found) {
        return table.ask(lease.key(), row -> row.drained(found));
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return leases.stream()
                .collect(Collectors.toMap(
                        Function.identity(), lease -> table.ask(lease.key(), row -> row.renew(lease, ttl))));
    }

    @Override
    public Renewal resetTtl(Lease lease, Duration ttl, long change) {
        return table.ask(lease.key(), row -> row.resetTtl(lease, ttl, change));
    }

    @Override
    public boolean release(Lease lease) {
        return table.ask(lease.key(), row -> row.release(lease));
    }

    @Override
    public Renewal releaseAfter(Lease lease, Duration rest, long change) {
        return table.ask(lease.key(), row -> row.releaseAfter(lease, rest, change));
    }

    @Override
    public Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return table.ask(exclusive.key(), row -> row.downgrade(exclusive, token, shared));
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return table.ask(request.key(), row -> row.abandon(request));
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return table.ask(key, row -> row.holder(mode));
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(new MemoryInspection(table));
    }
}
