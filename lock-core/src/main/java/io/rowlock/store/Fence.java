package io.rowlock.store;

import io.rowlock.LockLostException;
import java.util.List;

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
     * @throws LockLostException if one of them is lost: the transaction must be rolled back
     * @throws io.rowlock.LockStoreException if it could not be checked: the transaction must be rolled back
     */
    void check(List<Lease> leases);
}
