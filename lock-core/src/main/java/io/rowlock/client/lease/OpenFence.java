package io.rowlock.client.lease;

import io.rowlock.store.Fence;

/**
 * A check of a lease within a transaction that is not over yet. Compared by identity: a transaction may check a lease twice.
 */
public final class OpenFence {
    private final Thread thread = Thread.currentThread();
    private final Fence.Pinned check;

    /** The calling thread is about to commit a transaction. */
    public OpenFence(Fence.Pinned check) {
        this.check = check;
    }

    boolean isOfCaller() {
        return Thread.currentThread() == thread;
    }

    Fence.Pinned check() {
        return check;
    }
}
