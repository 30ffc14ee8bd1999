package io.rowlock.client;

/**
 * A thread's word that what it does is right only as long as a lock is held, whoever holds it: commits of the thread are
 * refused once that lock is lost or released.
 */
public interface CommitGuard extends AutoCloseable {
    /**
     * Ends it, on the thread that began it. With an open transaction on that thread it ends when the transaction has
     * completed. Harmless if it has ended before.
     */
    @Override
    void close();
}
