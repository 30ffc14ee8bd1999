package io.rowlock.store;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Paces looks at something that will change some time: every millisecond at first, and the longer it has lasted the
 * more rarely, so that the time lost is a small part of the time waited. For one thread.
 */
public final class Backoff {
    private static final long SHORTEST = Duration.ofMillis(1).toNanos();
    private static final long LONGEST = Duration.ofMillis(20).toNanos();
    private static final int PART = 16;

    private static final long SHORTEST_AT_RANDOM = Duration.ofMillis(5).toNanos();
    private static final long LONGEST_AT_RANDOM = Duration.ofMillis(50).toNanos();

    private final long start = System.nanoTime();

    /** Starts now. */
    public Backoff() {}

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

    /**
     * Pauses for 5 to 50 ms, at random so that processes do not look in step.
     *
     * @param atMost no longer than this
     * @throws InterruptedException if the thread was interrupted
     */
    public static void pauseAtRandom(Duration atMost) throws InterruptedException {
        long pause = ThreadLocalRandom.current().nextLong(SHORTEST_AT_RANDOM, LONGEST_AT_RANDOM);
        TimeUnit.NANOSECONDS.sleep(Math.min(pause, atMost.toNanos()));
    }

    /**
     * Pauses also after an interrupt, whose flag is set again then: it is for the program.
     *
     * @param time how long
     */
    public static void pauseUninterrupted(Duration time) {
        boolean interrupted = false;
        long end = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
            interrupted |= Thread.interrupted(); // it would end each park at once
            LockSupport.parkNanos(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
