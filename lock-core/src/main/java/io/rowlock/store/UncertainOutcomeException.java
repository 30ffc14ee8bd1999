package io.rowlock.store;

import io.rowlock.LockStoreException;

/** A statement was sent, but no answer to it came: it may or may not have been carried out. */
public class UncertainOutcomeException extends LockStoreException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message what happened and what to do about it
     * @param cause the driver's own error
     */
    public UncertainOutcomeException(String message, Throwable cause) {
        super(message, cause);
    }
}
