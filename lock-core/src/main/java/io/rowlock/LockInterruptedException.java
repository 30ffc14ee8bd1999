package io.rowlock;

import java.time.Duration;

/** The waiting thread was interrupted. Its interrupt flag is set again, and no lock is left behind. */
public class LockInterruptedException extends LockNotAcquiredException {
    private static final long serialVersionUID = 1L;

    /**
     * @param key the key that was waited for
     * @param waited how long it was waited for
     * @param cause the interruption
     */
    public LockInterruptedException(String key, Duration waited, InterruptedException cause) {
        super(
                "Interrupted after %d ms of waiting for the lock \"%s\"".formatted(waited.toMillis(), key),
                key,
                waited,
                null,
                cause);
    }
}
