package io.rowlock.store;

import java.time.Duration;
import java.util.Optional;

/**
 * The queue of the processes that wait for a key. It makes waiting cheap and fair and never decides who holds a key: only
 * {@link LockStore#tryAcquire} does. Thread-safe.
 */
public interface WaitQueue {
    /** No queue: waiters try now and then. */
    WaitQueue POLLING = request -> Optional.empty();

    /**
     * Joins the queue of the processes that wait for a key.
     *
     * @param request what is waited for
     * @return a position, to be closed; empty if there is none to be had at the moment, so that the waiter tries now and then
     */
    Optional<QueuePosition> join(LeaseRequest request);

    /**
     * Whether other processes are likely to wait for a key this process has just released, so that it had better
     * {@link #join} before it tries. A guess, made without a statement.
     *
     * @param key the key as the table has it
     * @return true if so
     */
    default boolean isContended(String key) {
        return false;
    }

    /**
     * Whether another process waits for a key. Asked before a lease is released because it was handed on for long enough, so
     * that it is not released if no process waits.
     *
     * @param lease an exclusive lease this process holds
     * @return false only if no process is in the queue; true if that is not known
     */
    default boolean isWaitedFor(Lease lease) {
        return true;
    }

    /**
     * The process has no use for a lease any more: it was released, or lost. What the queue keeps for it can go, without a
     * statement on the calling thread. Throws nothing.
     *
     * @param lease the lease
     */
    default void forget(Lease lease) {}

    /**
     * A position in the queue of the processes that wait for one key. It makes waiting cheap and fair and never decides who holds
     * the key: that is what {@link LockStore#tryAcquire} does. Used by one thread at a time.
     */
    interface QueuePosition extends AutoCloseable {
        /**
         * Waits until an attempt is worth while: it is the first of the queue, or that is not known. It never throws
         * because of the database; a position that is of no use any more just waits a little. Each call
         * returns within a few seconds though no wake-up comes: the caller then tries.
         *
         * @param atMost no longer than this
         * @throws InterruptedException if the thread was interrupted
         */
        void await(Duration atMost) throws InterruptedException;

        /**
         * Tries once, from this position. If it is granted, the position belongs to the lease and ends with it.
         *
         * @param request the request with which the queue was joined, possibly with another nonce and time limit
         * @return what it came to
         * @throws io.rowlock.LockStoreException as {@link LockStore#tryAcquire} does
         */
        Attempt tryAcquire(LeaseRequest request);

        /** Leaves the queue, unless the position belongs to a lease by now. Closing twice is harmless. Throws nothing. */
        @Override
        void close();
    }
}
