package io.rowlock.store;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The check of a strategy that refuses a commit: makes sure, inside a transaction, that leases are still held, and that no other owner
 * can acquire them, or rely on them in a transaction of the same database, before that transaction is over. Asked right before the
 * commit, or earlier: see {@link Trait#AT_BEGIN}.
 */
@FunctionalInterface
public interface CommitCheck {
    /**
     * Checks leases on the transaction's own connection.
     *
     * @param leases the leases the transaction relies on
     * @return one that is lost, if there is one: the transaction must be rolled back
     * @throws io.rowlock.LockStoreException if it could not be checked: the transaction must be rolled back
     */
    Optional<Lease> firstLost(List<Lease> leases);

    /**
     * Returns true if the last {@link #firstLost} found the transaction that it is {@linkplain #pinned bound} to where no lease is: it may
     * commit, and protects none.
     */
    default boolean isElsewhere() {
        return false;
    }

    /**
     * Returns this check, bound to the transaction that is current now, whichever is current later. A second transaction that
     * commits while the first one is suspended in its commit cannot check a lease on its own connection: it would wait for the first
     * one's row locks, and the first one for it. Used on the thread of the transaction only.
     */
    default CommitCheck pinned() {
        return this;
    }

    /**
     * Returns true if row locks of the transaction that it is {@linkplain #pinned bound} to can still last; false if it is bound to
     * none. Asks no database.
     */
    default boolean isOpen() {
        return false;
    }

    /** Names what a check does beyond looking for lost leases right before the commit. */
    enum Trait {
        /**
         * Leases are checked as soon as the transaction relies on them: those of its thread when it begins, with its first statements, and
         * others when they are acquired in it. A lease on which the thread relies though another thread holds it is passed as a shared one:
         * several threads may have transactions open that rely on it.
         */
        AT_BEGIN,

        /**
         * The check locks the lease itself, so that no other owner can acquire it until the transaction is over, and a renewal would
         * have to wait: leases that passed get none until then. Others are renewed as ever.
         */
        PROTECTS_LEASE,

        /**
         * Every grant writes a row that {@link #firstUnseen} can look for. Otherwise a transaction marks the grant itself ({@link
         * SnapshotMarks}).
         */
        WRITES_GRANTS
    }

    /** Returns what holds of this check; by default it protects its leases. */
    default Set<Trait> traits() {
        return Set.of(Trait.PROTECTS_LEASE);
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
}
