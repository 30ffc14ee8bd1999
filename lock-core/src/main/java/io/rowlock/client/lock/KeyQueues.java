package io.rowlock.client.lock;

import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.StoreHealth;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The queues of all keys this process uses at the moment; a queue that no thread uses is removed. Thread-safe. */
final class KeyQueues {
    private final Handoff handoff;
    private final ConcurrentMap<ResolvedRequest.Id, KeyQueue> queues = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, StoreHealth> health = new ConcurrentHashMap<>();
    private final AtomicBoolean shut = new AtomicBoolean();

    public KeyQueues(Handoff handoff) {
        this.handoff = handoff;
    }

    /** @return the queue of a key, in use until {@link #leave} */
    public KeyQueue use(ResolvedRequest.Id id) {
        StoreHealth ofStore = health.computeIfAbsent(id.strategy(), strategy -> new StoreHealth());
        return queues.compute(id, (key, present) -> {
            KeyQueue queue = present == null ? new KeyQueue(handoff, ofStore, shut) : present;
            queue.users++;
            return queue;
        });
    }

    /** Rejects all waiters, now and later. */
    public void shut() {
        shut.set(true);
        queues.values().forEach(KeyQueue::rejectWaiters);
    }

    /** Opens all queues again. */
    public void open() {
        shut.set(false);
    }

    /** Returns how many threads wait for a key. */
    public int waiting(ResolvedRequest.Id id) {
        KeyQueue queue = queues.get(id);
        return queue == null ? 0 : queue.waiting();
    }

    /** Returns how many threads wait for any key. */
    public int waiting() {
        return queues.values().stream().mapToInt(KeyQueue::waiting).sum();
    }

    public void leave(ResolvedRequest.Id id) {
        queues.computeIfPresent(id, (key, queue) -> --queue.users == 0 ? null : queue);
    }

    public int size() {
        return queues.size();
    }
}
