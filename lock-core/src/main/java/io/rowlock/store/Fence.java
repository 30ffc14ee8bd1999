package io.rowlock.store;

import java.util.List;
import java.util.Optional;

/**
 * The last check before a commit: makes sure, inside the transaction that is about to commit, that leases are still
 * held, and that no other owner can acquire them before that transaction is over.
 */
@FunctionalInterface
public interface Fence {
    /**
     * Checks the leases on the current transaction's own connection.
     *
     * @param leases the leases the transaction relies on
     * @return one that is lost, if there is one: the transaction must be rolled back
     * @throws io.rowlock.LockStoreException if it could not be checked: the transaction must be rolled back
     */
    Optional<Lease> firstLost(List<Lease> leases);

    /**
     * This check, bound to the current transaction. A second transaction that commits while the first one is suspended in
     * its commit cannot check a lease on its own connection: it would wait for the first one's row locks, and the first one
     * for it.
     *
     * @return what checks in the transaction that is current now, whichever is current later
     */
    default Pinned pinned() {
        return Pinned.NEVER_OPEN;
    }

    /** A check in one particular transaction. Used on the thread of that transaction only. */
    interface Pinned {
        /** No transaction to check in. */
        Pinned NEVER_OPEN = new Pinned() {
            @Override
            public boolean isOpen() {
                return false;
            }

            @Override
            public Optional<Lease> firstLost(List<Lease> leases) {
                throw new IllegalStateException("There is no transaction to check in");
            }
        };

        /** @return whether row locks of its connection can still last; asks no database */
        boolean isOpen();

        /**
         * Checks leases on that transaction's connection. What it finds held is protected until that connection is committed,
         * rolled back or closed.
         *
         * @param leases the leases
         * @return one that is lost, if there is one
         * @throws io.rowlock.LockStoreException if it could not be checked
         */
        Optional<Lease> firstLost(List<Lease> leases);
    }

    /**
     * Whether leases that passed stay held until the transaction is over. If not, an owner that takes one on another server can make the commit
     * fail with a conflict, which then means that the lease is lost.
     *
     * @return whether a commit that fails says nothing of the leases
     */
    default boolean guaranteesCommit() {
        return true;
    }
}
