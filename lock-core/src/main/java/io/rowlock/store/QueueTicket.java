package io.rowlock.store;

import java.time.Duration;

/**
 * A place in the line of the processes that wait for one key. It makes waiting cheap and fair and never decides who holds
 * the key: that is what {@link #tryAcquire} does. Used by one thread at a time.
 */
public interface QueueTicket extends AutoCloseable {
    /**
     * Waits until an attempt is worth while: the line has come to this place, or it was not able to tell. It never throws
     * because of the database; a place that is of no use any more just waits a little.
     *
     * @param atMost no longer than this
     * @throws InterruptedException if the thread was interrupted
     */
    void await(Duration atMost) throws InterruptedException;

    /**
     * Tries once, from this place. If it is granted, the place belongs to the lease and ends with it.
     *
     * @param request the request with which the line was joined, possibly with another nonce and time limit
     * @return what it came to
     * @throws io.rowlock.LockStoreException as {@link LockStore#tryAcquire} does
     */
    Attempt tryAcquire(LeaseRequest request);

    /** Leaves the line, unless the place belongs to a lease by now. Closing twice is harmless. Throws nothing. */
    @Override
    void close();
}
