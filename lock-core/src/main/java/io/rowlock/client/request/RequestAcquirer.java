package io.rowlock.client.request;

import io.rowlock.HeldLock;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Takes the locks of some strategies for the calling thread. Thread-safe. */
public interface RequestAcquirer {
    /**
     * Checks a request without taking anything.
     *
     * @throws IllegalArgumentException if its strategy is unknown or does not take such a request
     */
    void validate(LockRequest request);

    /**
     * Takes all keys of a request, or none.
     *
     * @param patience how long to wait at most
     * @throws LockNotAcquiredException if another owner had a key until the wait time was over
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalStateException if the thread would wait for itself, or nothing can be locked where it is called
     */
    HeldLock acquire(LockRequest request, Duration patience);

    /**
     * As {@link #acquire}.
     *
     * @return empty if another owner had a key until the wait time was over
     */
    default Optional<HeldLock> tryAcquire(LockRequest request, Duration patience) {
        try {
            return Optional.of(acquire(request, patience));
        } catch (LockInterruptedException e) {
            throw e;
        } catch (LockNotAcquiredException e) {
            return Optional.empty();
        }
    }

    /**
     * Takes what the first of several requests asks for that can be had without waiting. A key that the calling thread holds
     * counts as taken.
     *
     * @return empty if there is none
     */
    Optional<HeldLock> tryAcquireAny(List<LockRequest> requests);
}
