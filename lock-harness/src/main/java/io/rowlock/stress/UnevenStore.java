package io.rowlock.stress;

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
import java.util.concurrent.ThreadLocalRandom;

/** A store behind a network that is slow now and then, and that takes shorter leases than it would. */
final class UnevenStore implements LockStore {
    private final LockStore store;
    private final int late;

    UnevenStore(LockStore store) {
        this(store, 5);
    }

    /** @param late of a hundred answers, how many come late */
    UnevenStore(LockStore store, int late) {
        this.store = store;
        this.late = late;
    }

    private <T> T late(T answer) {
        if (ThreadLocalRandom.current().nextInt(100) < late) {
            Dice.sleep(ThreadLocalRandom.current().nextLong(30, 900) * 1_000_000);
        }
        return answer;
    }

    @Override
    public String strategy() {
        return store.strategy();
    }

    @Override
    public StoreCapabilities capabilities() {
        StoreCapabilities real = store.capabilities();
        return new StoreCapabilities(real.modes(), Duration.ofMillis(1), real.lastsForTtl(), real.handoffs());
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        return late(store.tryAcquire(request));
    }

    @Override
    public WaitQueue queue() {
        WaitQueue queue = store.queue();
        return new WaitQueue() {
            @Override
            public Optional<QueuePosition> join(LeaseRequest request) {
                return queue.join(request)
                        .map(ticket -> new PositionWith(ticket, (attempt, from) -> late(from.tryAcquire(attempt))));
            }

            @Override
            public boolean isContended(String key) {
                return queue.isContended(key);
            }

            @Override
            public boolean isWaitedFor(Lease lease) {
                return queue.isWaitedFor(lease);
            }

            @Override
            public void forget(Lease lease) {
                queue.forget(lease);
            }
        };
    }

    @Override
    public Drained drained(Lease lease) {
        return late(store.drained(lease));
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return late(store.renew(leases, ttl));
    }

    @Override
    public boolean release(Lease lease, Duration keepFor) {
        late(lease);
        return store.release(lease, keepFor);
    }

    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return late(store.downgrade(exclusive, token, shared));
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return store.abandon(request);
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return store.inspection();
    }
}
