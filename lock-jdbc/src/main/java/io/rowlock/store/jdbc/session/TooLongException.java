package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;

/** A statement is longer than the server takes: nothing was changed, and a shorter one may do. */
public final class TooLongException extends LockStoreException {
    private static final long serialVersionUID = 1L;

    TooLongException(String message, Throwable cause) {
        super(message, cause);
    }
}
