package io.rowlock.client.lock;

import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A lease to be ended in the database of which it is not known whether it has ended. Thread-safe: {@code this} guards the
 * fields; the database is asked without it.
 */
final class UncertainLease {
    private static final long SHORTEST_PAUSE = Duration.ofMillis(500).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

    private final ResolvedRequest request;
    private final BooleanSupplier ending;
    private final Ticker ticker;
    private final long until;
    private long nextPause = SHORTEST_PAUSE;
    private long triedAt;
    private boolean answered;
    private boolean over;

    /**
     * @param ending asks the database, and may do so at any time and any number of times; true if that need not be done again
     * @param lasting how long it may matter
     */
    UncertainLease(ResolvedRequest request, BooleanSupplier ending, Ticker ticker, Duration lasting) {
        this.request = request;
        this.ending = ending;
        this.ticker = ticker;
        this.until = ticker.nanoTime() + lasting.toNanos();
    }

    LockId id() {
        return request.id();
    }

    String name() {
        return request.name();
    }

    /** Whether it has ended, or it is too late to matter. */
    synchronized boolean isOver() {
        return over || until - ticker.nanoTime() <= 0;
    }

    /** Whether the database has answered that it ended it, or that there was nothing to end. */
    synchronized boolean isAnswered() {
        return answered;
    }

    /** Whether a thread that wants the key has to try by itself: no try was answered yet, or none for a while. */
    synchronized boolean isDue() {
        return !answered || ticker.nanoTime() - triedAt >= SHORTEST_PAUSE;
    }

    /** How long to wait before the next try: longer each time. */
    synchronized long pause() {
        long pause = nextPause;
        nextPause = Math.min(LONGEST_PAUSE, 2 * pause);
        return pause;
    }

    /**
     * Tries once, unless it is over.
     *
     * @return whether this try ended it
     * @throws io.rowlock.LockStoreException if the database did not answer
     */
    boolean end() {
        if (isOver()) {
            return false;
        }
        boolean ended = ending.getAsBoolean();
        synchronized (this) {
            answered = true;
            triedAt = ticker.nanoTime();
            over |= ended;
        }
        return ended;
    }
}
