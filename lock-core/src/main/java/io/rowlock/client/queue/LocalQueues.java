package io.rowlock.client.queue;

import io.rowlock.LockStoreException;
import io.rowlock.client.request.LockId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The queues of all keys this process uses at the moment; a queue that no thread uses is removed. Thread-safe. */
public final class LocalQueues {
    private final ConcurrentMap<LockId, LocalQueue> queues = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable LockStoreException> lastOutage = new AtomicReference<>();
    private volatile boolean shut;

    /** @return the queue of a key, in use until {@link #leave} */
    public LocalQueue use(LockId id) {
        LocalQueue used = queues.compute(id, (key, present) -> {
            LocalQueue queue = present == null ? new LocalQueue(lastOutage) : present;
            queue.users++;
            return queue;
        });
        if (shut) {
            used.shut(true);
        }
        return used;
    }

    /** Rejects all waiters, now and later, or opens all queues again. */
    public void shut(boolean forNow) {
        shut = forNow;
        queues.values().forEach(queue -> queue.shut(forNow));
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
