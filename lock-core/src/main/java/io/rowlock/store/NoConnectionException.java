package io.rowlock.store;

import io.rowlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * No connection came free in time, so nothing was sent, though the store is not known to be down. Says nothing about the key: to wait
 * for a connection is part of the wait for a lock.
 */
public class NoConnectionException extends LockStoreException {
    private static final long serialVersionUID = 1L;

    private final boolean byWaiters;

    /**
     * @param message what happened and what to do about it
     * @param cause the pool's own error, if there is one
     * @param byWaiters true if threads that wait for locks use the connections, and not leases or other code
     */
    public NoConnectionException(String message, @Nullable Throwable cause, boolean byWaiters) {
        super(message, cause);
        this.byWaiters = byWaiters;
    }

    /** Returns true if threads that wait for locks use the connections, and not leases or other code. */
    public boolean byWaiters() {
        return byWaiters;
    }
}
