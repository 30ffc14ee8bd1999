package io.rowlock.interceptor.result;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.Printable;
import io.rowlock.client.DetachableLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases the lock of a call without hiding how its body ended.
 *
 * @param lock the lock
 * @param onLost what a loss means for the call
 */
public record LockRelease(HeldLock lock, OnLost onLost) {
    private static final Logger log = LoggerFactory.getLogger(LockRelease.class);

    /** The body ends on a thread that need not have taken the lock. */
    void detach() {
        if (lock instanceof DetachableLock detachable) {
            detachable.detach();
        }
    }

    /** @throws LockLostException if the lock was lost and that ends the call */
    void afterReturn() {
        try {
            lock.close();
        } catch (LockStoreException failure) {
            warn(failure);
        }
        onLost.afterReturn(lock);
    }

    public void afterThrow(Throwable thrown) {
        try {
            lock.close();
        } catch (RuntimeException failure) {
            if (failure != thrown) {
                thrown.addSuppressed(failure);
            }
        }
        onLost.afterThrow(lock, thrown);
    }

    /**
     * After the body ended on another thread: a failure of the release can only be logged.
     *
     * @param thrown what the body ended with, or null if it ended well
     * @return what the call ends with: the same, or the loss of the lock
     */
    @Nullable
    Throwable afterCompletion(@Nullable Throwable thrown) {
        if (thrown != null) {
            afterThrow(thrown);
            return thrown;
        }
        close();
        try {
            onLost.afterReturn(lock);
            return null;
        } catch (LockLostException loss) {
            return loss;
        }
    }

    /** No call is left that could end with an exception. */
    void close() {
        try {
            lock.close();
        } catch (RuntimeException failure) {
            warn(failure);
        }
    }

    private void warn(RuntimeException failure) {
        log.warn(
                "The lock \"{}\" was not released; that is tried again until its ttl is over",
                Printable.of(lock.key()),
                failure);
    }
}
