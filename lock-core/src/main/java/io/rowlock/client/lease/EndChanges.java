package io.rowlock.client.lease;

import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls that change when one lease ends in the store. There is one at a time, so that their answers cannot be mixed up. They
 * are numbered, so that one that arrives late does not undo a later one. Thread-safe.
 */
final class EndChanges {
    private final LockStore store;
    private final Lease lease;
    private final Semaphore underway = new Semaphore(1);
    private final AtomicLong number = new AtomicLong();

    EndChanges(LockStore store, Lease lease) {
        this.store = store;
        this.lease = lease;
    }

    /** Waits until no other call is under way; {@link #end} must follow. */
    void begin() {
        underway.acquireUninterruptibly();
    }

    /** @return whether no other call is under way; then {@link #end} must follow */
    boolean tryBegin() {
        return underway.tryAcquire();
    }

    void end() {
        underway.release();
    }

    boolean isUnderway() {
        return underway.availablePermits() == 0;
    }

    /** Has the lease last for that long from now. Between {@link #begin} and {@link #end}. */
    Renewal extend(Duration ttl) {
        return store.extend(lease, ttl, number.incrementAndGet());
    }

    /** Releases the lease, and keeps it taken for that long from now. Between {@link #begin} and {@link #end}. */
    Renewal release(Duration keepFor) {
        return store.release(lease, keepFor, number.incrementAndGet());
    }
}
