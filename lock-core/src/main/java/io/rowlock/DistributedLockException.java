package io.rowlock;

import org.jspecify.annotations.Nullable;

/** The root of everything Rowlock throws about a lock. Its message is one line, whatever the key and the owner contain. */
public abstract class DistributedLockException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DistributedLockException(String message, @Nullable Throwable cause) {
        super(Printable.of(message), cause);
    }
}
