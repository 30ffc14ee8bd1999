package io.rowlock.store;

/**
 * Tells whether the current transaction began to read before a moment. Under REPEATABLE READ a transaction reads all data as it was at
 * its first read, so a lock that it acquires later does not show it what the former holder has committed. For grants that write no row
 * the transaction could look for; see {@link CommitCheck#isSeen}.
 */
public interface SnapshotMarks {
    /** The mark of a transaction that does not repeat its reads. */
    long NONE = 0;

    /**
     * Marks this moment, unless each statement of the current transaction reads what is committed by then.
     *
     * @return the mark, which grows with each call, or {@link #NONE}
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    long mark();

    /**
     * Returns true if the current transaction began to read after a mark. To be asked right before the commit: the question lets
     * a transaction that has read nothing begin.
     *
     * @param mark what {@link #mark} returned
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    boolean sees(long mark);
}
