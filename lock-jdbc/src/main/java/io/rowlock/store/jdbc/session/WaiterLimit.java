package io.rowlock.store.jdbc.session;

import io.rowlock.store.NoConnectionException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Limits how many threads that wait for locks use connections at a time, first come, first served. The rest of the pool is left to
 * renewals and releases. Thread-safe.
 */
final class WaiterLimit {
    /** A thread looks at its deadline that often. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private static final int REST = 4;

    private final int connections;
    private final Semaphore free;
    private final long longestNanos;

    /** @param connections how many the pool has */
    WaiterLimit(int connections, Duration queryTimeout) {
        int all = Math.max(1, connections);
        this.connections = Math.max(1, all - Math.max(1, all / REST));
        this.free = new Semaphore(this.connections, true);
        this.longestNanos = Math.min(LONGEST_WAIT.toNanos(), queryTimeout.toNanos() / 2);
    }

    /**
     * Acquires a permit, which {@link #leave} releases.
     *
     * @throws NoConnectionException if others had all permits for long enough, or the thread was interrupted, which it is again then
     */
    void enter() {
        try {
            boolean first = !free.hasQueuedThreads();
            if (!(first && free.tryAcquire()) && !free.tryAcquire(longestNanos, TimeUnit.NANOSECONDS)) {
                throw new NoConnectionException(
                        "The lock store failed: other waiters use all %d connections left to waiters; raise rowlock.pool.size"
                                .formatted(connections),
                        null,
                        true);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NoConnectionException(
                    "The lock store failed: the thread was interrupted while it waited for a connection", e, true);
        }
    }

    void leave() {
        free.release();
    }
}
