package io.rowlock.store.jdbc.lease;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that a server, or what is in front of it, may refuse to do. It is not asked again for a minute. Thread-safe. */
final class Refusals {
    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private volatile @Nullable Long since;

    /** @return whether it may be asked */
    boolean isInOrder() {
        Long refused = since;
        return refused == null || System.nanoTime() - refused > PAUSE_NANOS;
    }

    /**
     * Notes a refusal.
     *
     * @return whether it had been in order before, so that this is news
     */
    boolean refused() {
        boolean news = isInOrder();
        since = System.nanoTime();
        return news;
    }
}
