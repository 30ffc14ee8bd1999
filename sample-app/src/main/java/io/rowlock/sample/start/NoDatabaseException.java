package io.rowlock.sample.start;

import org.jspecify.annotations.Nullable;

/** The sample has no database to run on; the message says why. */
final class NoDatabaseException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NoDatabaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
