package io.rowlock.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Asks again after 5 to 50 ms, at random so that processes do not ask in step. */
final class JitteredPolling implements WaitStrategy {
    private static final long SHORTEST = Duration.ofMillis(5).toNanos();
    private static final long LONGEST = Duration.ofMillis(50).toNanos();

    @Override
    public void await(LockId key, Duration atMost) throws InterruptedException {
        long pause = ThreadLocalRandom.current().nextLong(SHORTEST, LONGEST);
        TimeUnit.NANOSECONDS.sleep(Math.min(pause, atMost.toNanos()));
    }
}
