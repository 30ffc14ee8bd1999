package io.rowlock.stress;

import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** The seeded randomness of one actor. */
final class Dice {
    private final Random random;

    Dice(long seed) {
        random = new Random(seed);
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    long nonce() {
        return random.nextLong() >>> 1 | 1;
    }

    <T> T of(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /** Does nothing for so many milliseconds, as a holder that is paused or works. */
    void pause(int low, int high) {
        sleep(between(low, high) * 1_000_000L);
    }

    static void sleep(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
