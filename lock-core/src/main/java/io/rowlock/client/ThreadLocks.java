package io.rowlock.client;

import io.rowlock.client.request.LockId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What each thread holds, and what it relies on though another thread holds it. Not thread-local, because a lock may be
 * closed on another thread than the one that took it; a thread that holds nothing is not in it, and one that has ended only
 * until {@link AbandonedLocks} looks. Works for virtual threads alike. Thread-safe.
 */
final class ThreadLocks {
    private final ConcurrentMap<Thread, Map<LockId, ThreadLock>> holds = new ConcurrentHashMap<>();
    private final ConcurrentMap<Thread, List<ThreadLock>> reliedOn = new ConcurrentHashMap<>();

    void add(Thread thread, ThreadLock hold) {
        holds.compute(thread, (key, present) -> {
            Map<LockId, ThreadLock> all = present == null ? new ConcurrentHashMap<>() : present;
            all.put(hold.id(), hold);
            return all;
        });
    }

    void remove(Thread thread, ThreadLock hold) {
        holds.computeIfPresent(thread, (key, all) -> {
            all.remove(hold.id(), hold);
            return all.isEmpty() ? null : all;
        });
    }

    @Nullable
    ThreadLock ofCaller(LockId id) {
        return holds.getOrDefault(Thread.currentThread(), Map.of()).get(id);
    }

    Collection<ThreadLock> ofCaller() {
        return List.copyOf(holds.getOrDefault(Thread.currentThread(), Map.of()).values());
    }

    /** The calling thread relies on a hold that need not be its own, as often as it says so. */
    void reliedOnByCaller(ThreadLock hold) {
        reliedOn.compute(Thread.currentThread(), (key, present) -> {
            List<ThreadLock> all = present == null ? new CopyOnWriteArrayList<>() : present;
            all.add(hold);
            return all;
        });
    }

    void noLongerReliedOn(Thread thread, ThreadLock hold) {
        reliedOn.computeIfPresent(thread, (key, all) -> {
            all.remove(hold);
            return all.isEmpty() ? null : all;
        });
    }

    /** What the calling thread relies on without holding it. */
    Collection<ThreadLock> reliedOnByCaller() {
        return List.copyOf(reliedOn.getOrDefault(Thread.currentThread(), List.of()));
    }

    /** Every thread that is in it. */
    Stream<Thread> all() {
        return Stream.concat(holds.keySet().stream(), reliedOn.keySet().stream());
    }

    /** Forgets a thread that has ended. @return what it still held */
    Collection<ThreadLock> takeAll(Thread ended) {
        reliedOn.remove(ended);
        Map<LockId, ThreadLock> all = holds.remove(ended);
        return all == null ? List.of() : List.copyOf(all.values());
    }

    int threads() {
        return holds.size() + reliedOn.size();
    }
}
