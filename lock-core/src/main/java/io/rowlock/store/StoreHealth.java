package io.rowlock.store;

import io.rowlock.LockStoreException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Judges if a store that grants nothing is busy or down, by the answers to all that it is asked. Thread-safe; times are readings of
 * {@link System#nanoTime}.
 */
public final class StoreHealth {
    /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
    private static final long SILENCE = Duration.ofSeconds(2).toNanos();

    /** The first question since the last answer. */
    private volatile long askedAt;

    private volatile boolean asked;
    private volatile @Nullable LockStoreException failure;

    /**
     * The state of a store.
     *
     * @param isDown true if it failed, or was silent for too long, and has answered nothing since; its keys must not be called busy then
     * @param reason the failure, if there was one
     */
    public record Verdict(boolean isDown, @Nullable LockStoreException reason) {
        /** The store answers, as far as is known. */
        public static final Verdict UP = new Verdict(false, null);
    }

    /** Notes that a question is sent. */
    public void asked(long now) {
        if (!asked) {
            askedAt = now;
            asked = true;
        }
    }

    /** Notes an answer to any question, refusals included. */
    public void answered() {
        if (asked) {
            asked = false;
        }
        if (failure != null) {
            failure = null;
        }
    }

    /** Notes that a question could not be sent, or got no answer. */
    public void failed(LockStoreException reason) {
        failure = reason;
    }

    public Verdict verdict(long now) {
        LockStoreException reason = failure;
        return reason != null || (asked && now - askedAt > SILENCE) ? new Verdict(true, reason) : Verdict.UP;
    }
}
