package io.rowlock.store;

import java.time.Duration;

/**
 * A position in the queue of the processes that wait for one key. It makes waiting cheap and fair and never decides who holds
 * the key: that is what {@link #tryAcquire} does. Used by one thread at a time.
 */
public interface QueuePosition extends AutoCloseable {
    /**
     * Waits until an attempt is worth while: it is the first of the queue, or that is not known. It never throws
     * because of the database; a position that is of no use any more just waits a little.
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
