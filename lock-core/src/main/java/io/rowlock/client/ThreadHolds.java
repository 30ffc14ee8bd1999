package io.rowlock.client;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What each thread holds. Not thread-local, because a lock may be closed on another thread than the one that took it;
 * a thread that holds nothing is not in it. Works for virtual threads alike. Thread-safe.
 */
final class ThreadHolds {
    private final ConcurrentMap<Thread, Map<LockId, Hold>> holds = new ConcurrentHashMap<>();

    void add(Thread thread, Hold hold) {
        holds.compute(thread, (key, present) -> {
            Map<LockId, Hold> all = present == null ? new ConcurrentHashMap<>() : present;
            all.put(hold.id(), hold);
            return all;
        });
    }

    void remove(Thread thread, Hold hold) {
        holds.computeIfPresent(thread, (key, all) -> {
            all.remove(hold.id(), hold);
            return all.isEmpty() ? null : all;
        });
    }

    @Nullable
    Hold ofCaller(LockId id) {
        return holds.getOrDefault(Thread.currentThread(), Map.of()).get(id);
    }

    Collection<Hold> ofCaller() {
        return List.copyOf(holds.getOrDefault(Thread.currentThread(), Map.of()).values());
    }

    int threads() {
        return holds.size();
    }
}
