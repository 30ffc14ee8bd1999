package io.rowlock.store;

import java.util.List;
import java.util.Optional;

/**
 * The last check before a commit: makes sure, inside the transaction that is about to commit, that leases are still
 * held, and that nobody can take them before that transaction is over.
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
     * Whether leases that passed stay held until the transaction is over. If not, whoever takes one elsewhere can have the commit
     * fail with a conflict, which then means that the lease is lost.
     *
     * @return whether a commit that fails says nothing of the leases
     */
    default boolean guaranteesCommit() {
        return true;
    }
}
