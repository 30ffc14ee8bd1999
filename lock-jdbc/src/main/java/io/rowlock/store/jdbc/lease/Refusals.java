package io.rowlock.store.jdbc.lease;

import java.time.Duration;

/** Something that a server, or what is in front of it, may refuse to do. It is not asked again for a minute. Thread-safe. */
final class Refusals {
    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private volatile long since;
    private volatile boolean refused;

    /** @return whether it may be asked */
    boolean isInOrder() {
        if (refused && System.nanoTime() - since > PAUSE_NANOS) {
            refused = false;
        }
        return !refused;
    }

    /**
     * Notes a refusal.
     *
     * @return whether it had been in order before, so that this is news
     */
    boolean refused() {
        since = System.nanoTime();
        boolean news = !refused;
        refused = true;
        return news;
    }
}
