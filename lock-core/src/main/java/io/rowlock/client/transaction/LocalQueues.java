package io.rowlock.client.transaction;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Queues of the threads of this process that want to open a transaction for a key: one at a time, first come, first served. Waiters
 * so have no connection while they wait. Thread-safe.
 */
final class LocalQueues {
    final ConcurrentMap<String, Queue> byKey = new ConcurrentHashMap<>();

    private static final class Queue {
        private final Semaphore free = new Semaphore(1, true);

        /** Guarded by the map. */
        private int users;
    }

    /**
     * Waits until the calling thread is the first in the queue of a key.
     *
     * @return what lets the next one follow, on any thread and once, or null if the time was over before
     */
    @Nullable
    Runnable await(String key, long nanos) throws InterruptedException {
        Queue queue = use(key);
        boolean entered = false;
        try {
            entered = nanos > 0 ? queue.free.tryAcquire(nanos, TimeUnit.NANOSECONDS) : queue.free.tryAcquire();
            AtomicBoolean over = new AtomicBoolean(!entered);
            return entered ? () -> end(key, queue, over) : null;
        } finally {
            if (!entered) {
                leave(key);
            }
        }
    }

    private void end(String key, Queue queue, AtomicBoolean over) {
        if (over.compareAndSet(false, true)) {
            queue.free.release();
            leave(key);
        }
    }

    private Queue use(String key) {
        return byKey.compute(key, (unused, present) -> {
            Queue queue = present == null ? new Queue() : present;
            queue.users++;
            return queue;
        });
    }

    private void leave(String key) {
        byKey.computeIfPresent(key, (unused, queue) -> --queue.users == 0 ? null : queue);
    }
}
