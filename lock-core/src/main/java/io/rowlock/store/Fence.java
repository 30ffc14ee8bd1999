package io.rowlock.store;

import java.util.List;
import java.util.Optional;

/**
 * The check that refuses a commit: makes sure, inside a transaction, that leases are still held, and that no other owner can
 * acquire them, or rely on them in a transaction of the same database, before that transaction is over. Asked right before the
 * commit, or earlier: see {@link #atBegin}.
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
     * Returns true if every grant writes a row that {@link #firstUnseen} can look for. If not, a transaction marks the grant itself
     * ({@link SnapshotMarks}).
     */
    default boolean writesGrants() {
        return false;
    }

    /**
     * Looks for the rows of grants as the current transaction sees them, without locking them. What it does not see was granted after
     * it began to read.
     *
     * @param granted leases that the store granted while the transaction was open
     * @return one that the transaction does not see, if there is one: what it has read may be older than the grant
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    default Optional<Lease> firstUnseen(List<Lease> granted) {
        throw new UnsupportedOperationException("Its grants write no row");
    }

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
     * Whether leases are checked as soon as the transaction relies on them: those of its thread when it begins, with its first
     * statements, and others when they are taken in it. What passed then is not checked again. A lease on which the thread relies
     * though another thread holds it is passed as a shared one: several threads may have transactions open that rely on it.
     *
     * @return whether they are; else they are checked right before the commit
     */
    default boolean atBegin() {
        return false;
    }

    /**
     * Whether what the check locks is the lease itself, so that no other owner can take it until the transaction is over, and
     * a renewal would have to wait. If not, leases are renewed as ever while the transaction lasts.
     *
     * @return whether leases that passed need no renewal until the transaction is over, and must not get one
     */
    default boolean protectsLease() {
        return true;
    }

    /**
     * The current transaction has just begun and will not commit, because a lease did not pass: gives up what is locked in it, so
     * that others need not wait for the end of its body.
     *
     * @throws io.rowlock.LockStoreException if that failed; then it ends with the transaction
     */
    default void discard() {}
}
