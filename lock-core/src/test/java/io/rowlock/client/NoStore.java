package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.client.request.ResolvedRequest;
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

/** A strategy with a name and limits, for tests that must not come as far as asking it. */
public record NoStore(String strategy) implements LockStore {
    public static ResolvedRequest request(String key, LockMode mode) {
        Duration ttl = Duration.ofSeconds(30);
        return new ResolvedRequest(
                new NoStore("none"),
                key,
                key,
                mode,
                ttl,
                true,
                ttl.dividedBy(3),
                Duration.ZERO,
                "owner",
                "none",
                ResolvedRequest.Asked.NOTHING);
    }

    @Override
    public boolean supports(LockMode mode) {
        return mode == LockMode.EXCLUSIVE || !strategy.equals("exclusive-only");
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofSeconds(1);
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean drained(Lease lease) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Renewal resetTtl(Lease lease, Duration ttl, long change) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean release(Lease lease) {
        return true;
    }

    @Override
    public Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return Optional.empty();
    }
}
