package io.rowlock.verification.node;

import java.util.Random;

/**
 * A second in which most threads do the same, so that they meet.
 *
 * @param first of the keys of each use
 * @param keys how many there are
 * @param longest holders keep their locks for less, in milliseconds; 0 if they release them at once
 */
record Theme(int first, int keys, int longest) {
    static Theme of(Random random) {
        return new Theme(0, random.nextBoolean() ? 3 : Node.KEYS, random.nextInt(10) == 0 ? 600 : 4);
    }

    /** Uses keys that no slow holder takes. */
    static Theme quick(Random random) {
        return random.nextBoolean() ? new Theme(Node.KEYS, 3, 0) : new Theme(Node.KEYS + 3, 1_000, 0);
    }

    boolean isQuick() {
        return longest == 0;
    }

    /** Mostly short; now and then longer than a lease lasts without a renewal. */
    long holdMillis(Random random) {
        if (isQuick()) {
            return 0;
        }
        return random.nextInt(random.nextInt(400) == 0 ? (int) Node.TTL.toMillis() * 3 / 2 : longest);
    }

    /** Long enough to meet others that need not wait for each other. */
    long sharedMillis(Random random) {
        return isQuick() ? 0 : random.nextInt(10) + holdMillis(random);
    }

    String key(Random random) {
        return Integer.toString(first + random.nextInt(keys));
    }
}
