package io.rowlock.client;

import java.time.Duration;

/**
 * A lease that one or more threads of this process hold together: one row, one renewal. It is given back when the last
 * of them has left. An exclusive lease has one such holder. Thread-safe.
 */
final class SharedLease {
    private final ManagedLease lease;
    private final long joinableUntil;
    private int holders = 1;

    /**
     * @param lease the lease
     * @param joinableUntil until when others may join: keeping it going for ever would starve a writer
     */
    SharedLease(ManagedLease lease, long joinableUntil) {
        this.lease = lease;
        this.joinableUntil = joinableUntil;
    }

    ManagedLease lease() {
        return lease;
    }

    /** @return whether the caller holds it, too, from now on */
    synchronized boolean join(Terms terms) {
        boolean fits = terms.ttl().equals(lease.ttl())
                && terms.renewal() == lease.terms().renewal();
        if (holders == 0 || !fits || !lease.isJoinable(joinableUntil)) {
            return false;
        }
        holders++;
        return true;
    }

    /** A holder wants a new ttl. It is never made shorter than what another holder counts on. */
    void extend(Duration ttl) {
        boolean alone;
        synchronized (this) {
            alone = holders == 1;
        }
        boolean shorter = ttl.compareTo(lease.ttl()) < 0;
        lease.extend(shorter && !alone ? lease.ttl() : ttl);
    }

    /** A holder leaves; the last one gives the lease back. */
    void leave() {
        synchronized (this) {
            holders--;
            if (holders > 0) {
                return;
            }
        }
        lease.release();
    }
}
