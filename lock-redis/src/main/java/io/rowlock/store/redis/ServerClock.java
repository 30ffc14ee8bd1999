package io.rowlock.store.redis;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Estimates a server's clock by the times in its answers. An answer was written before it was received, so the server's
 * clock is ahead of this process's by at least the difference of the two; the greatest difference of the last seconds counts.
 * Thread-safe: {@code this} guards the fields.
 */
final class ServerClock {
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(5);

    private final long base = System.nanoTime();
    private long windowBegan;
    private long ahead = Long.MIN_VALUE;
    private long aheadBefore = Long.MIN_VALUE;

    /** An answer with this server time in microseconds was received at that {@link System#nanoTime}. */
    synchronized void answered(long serverMicros, long received) {
        if (received - windowBegan > WINDOW || ahead == Long.MIN_VALUE) {
            aheadBefore = ahead;
            ahead = Long.MIN_VALUE;
            windowBegan = received;
        }
        ahead = Math.max(ahead, serverMicros - micros(received));
    }

    /** Forgets the estimate: the server has found a call late that was not. */
    synchronized void forget() {
        ahead = Long.MIN_VALUE;
        aheadBefore = Long.MIN_VALUE;
    }

    /** No later than the server's time in microseconds at that {@link System#nanoTime}; empty if nothing is known of it. */
    synchronized OptionalLong at(long nanoTime) {
        long best = Math.max(ahead, aheadBefore);
        return best == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(best + micros(nanoTime));
    }

    private long micros(long nanoTime) {
        return TimeUnit.NANOSECONDS.toMicros(nanoTime - base);
    }
}
