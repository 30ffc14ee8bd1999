package io.rowlock.stress;

import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lease and the claim that rests on it. A writer that waits for readers to leave has the lease but claims nothing yet.
 * Thread-safe.
 */
final class StoreHold {
    private final Lease lease;
    private final long ttl;
    private final int permits;
    private Oracle.@Nullable Claim claim;
    private long deadline;
    private long latestEnd;
    private boolean endUnknown;
    private boolean released;

    /** @param sent when the statement was sent that took it */
    StoreHold(Lease lease, LeaseRequest request, long sent) {
        this.lease = lease;
        this.ttl = request.ttl().toNanos();
        this.permits = request.permits();
        this.deadline = sent + ttl;
        this.latestEnd = System.nanoTime() + ttl;
    }

    Lease lease() {
        return lease;
    }

    /** The lease is granted, or drained: from now on the holder relies on it, if it lasts still. */
    synchronized boolean claim(Oracle oracle) {
        if (released || deadline - System.nanoTime() <= 0) {
            oracle.count("grants too late to count");
            return false;
        }
        claim = oracle.enter(lease.key(), lease.mode(), permits, lease.fence(), lease.owner(), deadline);
        return claim != null;
    }

    synchronized boolean isHeld() {
        return !released && deadline - System.nanoTime() > 0;
    }

    /** Nothing the database might do can keep the lease alive after that, unless a renewal's outcome is not known. */
    synchronized void renewed(long sent, Oracle oracle) {
        if (released) {
            return;
        }
        if (!endUnknown && sent - latestEnd > 0) {
            oracle.violation("brought back", lease + " was renewed after its end");
        }
        long now = System.nanoTime();
        latestEnd = now + ttl;
        if (deadline - now <= 0) {
            oracle.count("renewals too late to count");
            return;
        }
        if (claim == null || claim.renew(sent + ttl)) {
            deadline = sent + ttl;
        }
    }

    synchronized void endUnknown() {
        endUnknown = true;
    }

    /** The database has no such lease. Then no claim may rely on it still. */
    synchronized void lost(Oracle oracle, Supplier<String> evidence) {
        if (isHeld()) {
            long left = (deadline - System.nanoTime()) / 1_000;
            oracle.violation("live lease lost", "%s with %d us left; %s".formatted(lease, left, evidence.get()));
        }
        leave();
    }

    /** Before a release is sent: from then on nothing is claimed. */
    synchronized void leave() {
        released = true;
        if (claim != null) {
            claim.leave();
        }
    }

    long nanosLeft() {
        synchronized (this) {
            return deadline - System.nanoTime();
        }
    }
}
