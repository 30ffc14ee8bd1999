package io.rowlock.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How often to look at something that will change some time: every millisecond at first, and the longer it has lasted the
 * more rarely, so that the time lost is a small part of the time waited. For one thread.
 */
public final class Pace {
    private static final long SHORTEST = Duration.ofMillis(1).toNanos();
    private static final long LONGEST = Duration.ofMillis(20).toNanos();
    private static final int PART = 16;

    private final long start = System.nanoTime();

    /** Starts now. */
    public Pace() {}

    /**
     * Pauses until it is time for the next look.
     *
     * @param atMost no longer than this
     * @throws InterruptedException if the thread was interrupted
     */
    public void pause(Duration atMost) throws InterruptedException {
        long pause = Math.max(SHORTEST, Math.min(LONGEST, (System.nanoTime() - start) / PART));
        TimeUnit.NANOSECONDS.sleep(Math.min(pause, atMost.toNanos()));
    }
}
