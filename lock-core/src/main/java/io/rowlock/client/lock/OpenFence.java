package io.rowlock.client.lock;

import io.rowlock.store.CommitCheck;
import io.rowlock.store.CommitCheck.Trait;
import io.rowlock.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that has checked a lease and is not over, as the lease knows it.
 *
 * @param as what it was checked as, and is checked as again
 * @param check asks on that transaction's connection
 */
record OpenFence(HeldLease lease, Lease as, Thread thread, CommitCheck check) {
    /** Returns the one of the calling thread whose row locks can still last, or null. */
    static @Nullable OpenFence of(HeldLease lease) {
        return lease.fences().stream()
                .filter(fence -> fence.thread == Thread.currentThread() && fence.check.isOpen())
                .findFirst()
                .orElse(null);
    }

    /** Returns true if its row locks keep other owners out until the transaction is over. */
    boolean protectsLease() {
        return check.traits().contains(Trait.PROTECTS_LEASE);
    }
}
