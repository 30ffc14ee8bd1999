package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The grants threads have through views, which give them no handle to close. Each thread touches its own only; a thread
 * without any is not in it, and one that has ended only until {@link AbandonedLocks} looks. Thread-safe.
 */
final class ViewGrants {
    private final ConcurrentMap<Place, Deque<HeldLock>> grants = new ConcurrentHashMap<>();

    private record Place(Thread thread, LockRequest request) {}

    void push(LockRequest request, HeldLock grant) {
        grants.computeIfAbsent(new Place(Thread.currentThread(), request), place -> new ArrayDeque<>())
                .push(grant);
    }

    /** @return the calling thread's last grant of this request, or null if it has none */
    @Nullable
    HeldLock pop(LockRequest request) {
        Place place = new Place(Thread.currentThread(), request);
        Deque<HeldLock> own = grants.get(place);
        if (own == null) {
            return null;
        }
        HeldLock last = own.pop();
        if (own.isEmpty()) {
            grants.remove(place);
        }
        return last;
    }

    /** Every thread that is in it. */
    Stream<Thread> threads() {
        return grants.keySet().stream().map(Place::thread);
    }

    /** Forgets a thread that has ended. @return its grants, which no other thread can reach */
    List<HeldLock> takeAll(Thread ended) {
        return grants.keySet().stream()
                .filter(place -> place.thread() == ended)
                .map(grants::remove)
                .filter(Objects::nonNull)
                .flatMap(Deque::stream)
                .toList();
    }

    int size() {
        return grants.size();
    }
}
