package io.rowlock.store;

import java.util.Set;

/**
 * The check of a strategy that refuses a commit: makes sure, inside a transaction, that a lease is still held, and that no other owner
 * can acquire it, or rely on it in a transaction of the same database, before that transaction is over. Asked right before the
 * commit, or earlier: see {@link Trait#AT_BEGIN}. Of several leases it is asked in {@link Lease#STORE_ORDER}.
 */
@FunctionalInterface
public interface CommitCheck {
    /**
     * Checks a lease on the transaction's own connection.
     *
     * @param lease a lease the transaction relies on
     * @return false if it is lost: the transaction must be rolled back
     * @throws io.rowlock.LockStoreException if it could not be checked: the transaction must be rolled back
     */
    boolean isHeld(Lease lease);

    /**
     * Returns true if the last {@link #isHeld} found the transaction that it is {@linkplain #pinned bound} to where no lease is: it may
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
         * Every grant writes a row that {@link #isSeen} can look for. Otherwise a transaction marks the grant itself ({@link
         * SnapshotMarks}).
         */
        WRITES_GRANTS
    }

    /** Returns what holds of this check; by default it protects its leases. */
    default Set<Trait> traits() {
        return Set.of(Trait.PROTECTS_LEASE);
    }

    /**
     * Looks for the row of a grant as the current transaction sees it, without locking it. What it does not see was granted after it
     * began to read.
     *
     * @param granted a lease that the store granted while the transaction was open
     * @return false if the transaction does not see it: what it has read may be older than the grant
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    default boolean isSeen(Lease granted) {
        throw new UnsupportedOperationException("Its grants write no row");
    }
}
