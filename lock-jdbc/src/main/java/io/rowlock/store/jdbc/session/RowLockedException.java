package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;

/** Another transaction has the row locked: the attempt is refused, and nothing was changed. */
public final class RowLockedException extends LockStoreException {
    private static final long serialVersionUID = 1L;

    RowLockedException(String message, Throwable cause) {
        super(message, cause);
    }
}
