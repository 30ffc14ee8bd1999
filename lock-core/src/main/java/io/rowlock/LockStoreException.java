package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * The database could not be asked: it is unreachable, read-only or lacks the tables, or the lock pool is exhausted.
 * The exception does not tell whether the lock is held.
 */
public class LockStoreException extends DistributedLockException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what happened and what to do about it
     * @param cause the driver's or pool's own error, if there is one
     */
    public LockStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
