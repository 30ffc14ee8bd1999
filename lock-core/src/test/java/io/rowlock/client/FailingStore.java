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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store of which one call ends in an error. */
final class FailingStore implements LockStore, WaitQueue {
    volatile @Nullable Error failure;
    volatile boolean grantBeforeFailing;
    private final LockStore real;
    private volatile String call = "";

    FailingStore(LockStore real) {
        this.real = real;
    }

    /** The next call of that name, and no other, throws it. */
    void failAt(String name, Error error) {
        call = name;
        failure = error;
    }

    private void called(String name) {
        Error error = failure;
        if (error != null && name.equals(call)) {
            failure = null;
            throw error;
        }
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
        if (!grantBeforeFailing) {
            called("tryAcquire");
        }
        Attempt attempt = real.tryAcquire(request);
        called("tryAcquire");
        return attempt;
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        return real.abandon(request);
    }

    @Override
    public Drained drained(Lease lease) {
        called("drained");
        return real.drained(lease);
    }

    @Override
    public WaitQueue queue() {
        return this;
    }

    @Override
    public Optional<QueuePosition> join(LeaseRequest request) {
        return Optional.empty();
    }

    @Override
    public boolean isContended(String key) {
        called("isContended");
        return false;
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        called("isWaitedFor");
        return true;
    }

    @Override
    public void forget(Lease lease) {
        called("forget");
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return real.renew(leases, ttl);
    }

    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        if (!grantBeforeFailing) {
            called("downgrade");
        }
        Downgrade outcome = real.downgrade(exclusive, token, shared);
        called("downgrade");
        return outcome;
    }

    @Override
    public boolean release(Lease lease, Duration keepFor) {
        called("release");
        return real.release(lease, keepFor);
    }
}
