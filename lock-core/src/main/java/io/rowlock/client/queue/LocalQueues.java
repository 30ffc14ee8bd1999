package io.rowlock.client.queue;

import io.rowlock.LockStoreException;
import io.rowlock.client.request.LockId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The queues of all keys this process uses at the moment; a queue that no thread uses is removed. Thread-safe. */
public final class LocalQueues {
    private final ConcurrentMap<LockId, LocalQueue> queues = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable LockStoreException> lastOutage = new AtomicReference<>();
    private final AtomicBoolean shut = new AtomicBoolean();

    /** @return the queue of a key, in use until {@link #leave} */
    public LocalQueue use(LockId id) {
        return queues.compute(id, (key, present) -> {
            LocalQueue queue = present == null ? new LocalQueue(lastOutage, shut) : present;
            queue.users++;
            return queue;
        });
    }

    /** Rejects all waiters, now and later. */
    public void shut() {
        shut.set(true);
        queues.values().forEach(LocalQueue::rejectWaiters);
    }

    /** Opens all queues again. */
    public void open() {
        shut.set(false);
    }

    /** How many threads wait for a key. */
    public int waiting(LockId id) {
        LocalQueue queue = queues.get(id);
        return queue == null ? 0 : queue.waiting();
    }

    /** How many threads wait for any key. */
    public int waiting() {
        return queues.values().stream().mapToInt(LocalQueue::waiting).sum();
    }

    public void leave(LockId id) {
        queues.computeIfPresent(id, (key, queue) -> --queue.users == 0 ? null : queue);
    }

    public int size() {
        return queues.size();
    }
}
