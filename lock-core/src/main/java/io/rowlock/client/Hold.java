package io.rowlock.client;

import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * One thread's hold on one key: every grant it has of it, nested ones too, and every open transaction that keeps it. It
 * ends when the last grant is closed and the last such transaction has completed, whichever is later.
 *
 * <p>Thread-safe: {@code this} guards the counts; the lease is given back without it.
 */
final class Hold {
    private final LockId id;
    private final LockMode mode;
    private final SharedLease lease;
    private final ThreadHolds holds;
    private final Runnable whenEnded;

    private @Nullable Thread owner;
    private int grants;
    private int transactions;
    private boolean ended;

    Hold(LockId id, LockMode mode, SharedLease lease, ThreadHolds holds, Runnable whenEnded) {
        this.id = id;
        this.mode = mode;
        this.lease = lease;
        this.holds = holds;
        this.whenEnded = whenEnded;
    }

    LockId id() {
        return id;
    }

    LockMode mode() {
        return mode;
    }

    ManagedLease lease() {
        return lease.lease();
    }

    /** Makes the calling thread its owner. */
    void ownedByCaller() {
        synchronized (this) {
            owner = Thread.currentThread();
        }
        holds.add(Thread.currentThread(), this);
    }

    /** From now on it belongs to no thread. */
    void detach() {
        Thread former;
        synchronized (this) {
            former = owner;
            owner = null;
        }
        if (former != null) {
            holds.remove(former, this);
        }
    }

    /**
     * One more grant of it.
     *
     * @return false if it has just ended, so that it must be taken anew
     * @throws LockLostException if it is lost: no body runs under it
     */
    synchronized boolean enter() {
        if (ended) {
            return false;
        }
        if (grants > 0 || transactions > 0) {
            lease().requireHeld();
        }
        grants++;
        return true;
    }

    /** A grant is closed. */
    void leave() {
        synchronized (this) {
            grants--;
            if (!ends()) {
                return;
            }
        }
        end();
    }

    /** A transaction keeps it. */
    synchronized void keptByTransaction() {
        transactions++;
    }

    /** That transaction has completed. */
    void transactionCompleted() {
        synchronized (this) {
            transactions--;
            if (!ends()) {
                return;
            }
        }
        end();
    }

    private boolean ends() {
        ended = grants == 0 && transactions == 0;
        return ended;
    }

    private void end() {
        detach();
        try {
            lease.leave();
        } finally {
            whenEnded.run();
        }
    }
}
