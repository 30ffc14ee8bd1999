package io.rowlock.benchmark.workload;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Grants everything, keeps nothing and asks nobody: what is left is the client's own work. */
final class StubStore implements LockStore {
    private final AtomicLong tokens = new AtomicLong();

    @Override
    public String strategy() {
        return "stub";
    }

    @Override
    public boolean supports(LockMode mode) {
        return mode == LockMode.EXCLUSIVE;
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofSeconds(1);
    }

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return Lease.MOST_HANDOFFS;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        return new Attempt.Granted(
                new Lease(request.key(), request.mode(), 0, tokens.addAndGet(Lease.TOKENS), request.owner()));
    }

    @Override
    public boolean drained(Lease lease) {
        return true;
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return leases.stream().collect(Collectors.toMap(Function.identity(), lease -> Renewal.RENEWED));
    }

    @Override
    public Renewal resetTtl(Lease lease, Duration ttl, long change) {
        return Renewal.RENEWED;
    }

    @Override
    public boolean release(Lease lease) {
        return true;
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
