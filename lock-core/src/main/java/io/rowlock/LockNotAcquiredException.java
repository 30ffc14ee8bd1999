package io.rowlock;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Another owner held the lock until the wait time was over; the guarded body did not run. */
public class LockNotAcquiredException extends DistributedLockException {
    private static final long serialVersionUID = 1L;

    private final String key;
    private final Duration waited;

    private final @Nullable String holder;

    /**
     * @param key the key that was busy
     * @param waited how long the caller waited
     * @param holder the owner that held it last, as the lock table shows it, or null if it was gone when asked for
     */
    public LockNotAcquiredException(String key, Duration waited, @Nullable String holder) {
        this(
                "The lock \"%s\" was not acquired within %d ms: it is held by %s"
                        .formatted(key, waited.toMillis(), holder == null ? "another owner" : holder),
                key,
                waited,
                holder,
                null);
    }

    /**
     * A lock that is part of a transaction was not acquired, and cannot be in this transaction any more.
     *
     * @param key the key that was not acquired
     * @param waited how long the caller waited
     * @param why what happened, a clause
     * @return an exception that says so
     */
    public static LockNotAcquiredException inTransaction(String key, Duration waited, String why) {
        return new LockNotAcquiredException(
                "The lock \"%s\" was not acquired within %d ms: %s; run the whole transaction again"
                        .formatted(key, waited.toMillis(), why),
                key,
                waited,
                null,
                null);
    }

    LockNotAcquiredException(
            String message, String key, Duration waited, @Nullable String holder, @Nullable Throwable cause) {
        super(message, cause);
        this.key = key;
        this.waited = waited;
        this.holder = holder;
    }

    /** @return the key that was not acquired */
    public String key() {
        return key;
    }

    /** @return how long the caller waited */
    public Duration waited() {
        return waited;
    }

    /** @return the owner that held it last, as the lock table shows it, if it is known */
    public Optional<String> holder() {
        return Optional.ofNullable(holder);
    }
}
