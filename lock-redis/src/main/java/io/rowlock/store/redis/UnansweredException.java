package io.rowlock.store.redis;

import io.rowlock.store.UncertainOutcomeException;

/** A call without an answer, and until when it may still be carried out. */
final class UnansweredException extends UncertainOutcomeException {
    private static final long serialVersionUID = 1L;

    /** The server's time in microseconds after which it has no effect. */
    final long notAfter;

    UnansweredException(String message, Throwable cause, long notAfter) {
        super(message, cause);
        this.notAfter = notAfter;
    }
}
