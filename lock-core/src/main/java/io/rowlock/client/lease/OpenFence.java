package io.rowlock.client.lease;

import io.rowlock.store.Fence;

/**
 * A check of a lease within a transaction that is not over yet. Compared by identity: a transaction may check a lease twice.
 */
public final class OpenFence {
    private final Thread thread = Thread.currentThread();
    private final Fence.Pinned check;
    private final boolean protectsLease;

    /**
     * The calling thread has a transaction open that checks the lease.
     *
     * @param protectsLease as {@link Fence#protectsLease}
     */
    public OpenFence(Fence.Pinned check, boolean protectsLease) {
        this.check = check;
        this.protectsLease = protectsLease;
    }

    boolean protectsLease() {
        return protectsLease;
    }

    boolean isOfCaller() {
        return Thread.currentThread() == thread;
    }

    Fence.Pinned check() {
        return check;
    }
}
