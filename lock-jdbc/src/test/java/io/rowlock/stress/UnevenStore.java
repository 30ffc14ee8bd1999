package io.rowlock.stress;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.QueueTicket;
import io.rowlock.store.Renewal;
import io.rowlock.test.TicketWith;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** A store behind a network that is slow now and then, and that takes shorter leases than it would. */
final class UnevenStore implements LockStore {
    private final LockStore store;

    UnevenStore(LockStore store) {
        this.store = store;
    }

    private static <T> T late(T answer) {
        if (ThreadLocalRandom.current().nextInt(100) < 5) {
            Dice.sleep(ThreadLocalRandom.current().nextLong(30, 500) * 1_000_000);
        }
        return answer;
    }

    @Override
    public String strategy() {
        return store.strategy();
    }

    @Override
    public boolean supports(LockMode mode) {
        return store.supports(mode);
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofMillis(1);
    }

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return store.mostHandoffs(lease, held);
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        return late(store.tryAcquire(request));
    }

    @Override
    public Optional<QueueTicket> lineUp(LeaseRequest request) {
        return store.lineUp(request)
                .map(place -> new TicketWith(place, (attempt, from) -> late(from.tryAcquire(attempt))));
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        return store.isWaitedFor(lease);
    }

    @Override
    public boolean isContended(String key) {
        return store.isContended(key);
    }

    @Override
    public void forget(Lease lease) {
        store.forget(lease);
    }

    @Override
    public boolean drained(Lease lease) {
        return late(store.drained(lease));
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return late(store.renew(leases, ttl));
    }

    @Override
    public Renewal resetTtl(Lease lease, Duration ttl, long change) {
        return late(store.resetTtl(lease, ttl, change));
    }

    @Override
    public boolean release(Lease lease) {
        late(lease);
        return store.release(lease);
    }

    @Override
    public Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return late(store.downgrade(exclusive, token, shared));
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return store.abandon(request);
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return store.holder(key, mode);
    }
}
