package io.rowlock.store;

import io.rowlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * No connection came free in time, so nothing was sent. Says nothing about the key: to wait for a connection is part of the
 * wait for a lock.
 */
public class ConnectionsInUseException extends LockStoreException {
    private static final long serialVersionUID = 1L;

    private final boolean databaseAnswers;
    private final boolean byWaiters;

    /**
     * @param message what happened and what to do about it
     * @param cause the pool's own error, if there is one
     * @param databaseAnswers whether the database has just answered others, so that this is no outage
     * @param byWaiters whether threads that wait for locks use the connections, and not leases or other code
     */
    public ConnectionsInUseException(
            String message, @Nullable Throwable cause, boolean databaseAnswers, boolean byWaiters) {
        super(message, cause);
        this.databaseAnswers = databaseAnswers;
        this.byWaiters = byWaiters;
    }

    /** @return whether the database has just answered others, so that this is no outage */
    public boolean databaseAnswers() {
        return databaseAnswers;
    }

    /** @return whether threads that wait for locks use the connections, and not leases or other code */
    public boolean byWaiters() {
        return byWaiters;
    }
}
