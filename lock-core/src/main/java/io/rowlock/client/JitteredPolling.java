package io.rowlock.client;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Waits for 5 to 50 ms before the next question, at random so that processes do not ask in step. */
final class JitteredPolling {
    private static final long SHORTEST = Duration.ofMillis(5).toNanos();
    private static final long LONGEST = Duration.ofMillis(50).toNanos();

    private JitteredPolling() {}

    static void pause(Duration atMost) throws InterruptedException {
        long pause = ThreadLocalRandom.current().nextLong(SHORTEST, LONGEST);
        TimeUnit.NANOSECONDS.sleep(Math.min(pause, atMost.toNanos()));
    }
}
