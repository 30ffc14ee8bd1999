package io.rowlock.client.transaction;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Which thread of this process may open a transaction for a key: one at a time, first come, first served. Waiters so have no
 * connection while they wait. Thread-safe.
 */
final class LocalTurns {
    private final ConcurrentMap<String, Queue> queues = new ConcurrentHashMap<>();

    private static final class Queue {
        private final Semaphore free = new Semaphore(1, true);

        /** Guarded by the map. */
        private int users;
    }

    /** The turn of a thread. {@link #end} may be called on any thread, more than once. */
    final class Turn {
        private final String key;
        private final Queue queue;
        private final AtomicBoolean over = new AtomicBoolean();

        private Turn(String key, Queue queue) {
            this.key = key;
            this.queue = queue;
        }

        void end() {
            if (over.compareAndSet(false, true)) {
                queue.free.release();
                leave(key);
            }
        }
    }

    /** Waits for a turn. @return null if the time was over before */
    @Nullable
    Turn await(String key, long nanos) throws InterruptedException {
        Queue queue = use(key);
        boolean entered = false;
        try {
            entered = nanos > 0 ? queue.free.tryAcquire(nanos, TimeUnit.NANOSECONDS) : queue.free.tryAcquire();
            return entered ? new Turn(key, queue) : null;
        } finally {
            if (!entered) {
                leave(key);
            }
        }
    }

    private Queue use(String key) {
        return queues.compute(key, (unused, present) -> {
            Queue queue = present == null ? new Queue() : present;
            queue.users++;
            return queue;
        });
    }

    private void leave(String key) {
        queues.computeIfPresent(key, (unused, queue) -> --queue.users == 0 ? null : queue);
    }

    int size() {
        return queues.size();
    }
}
