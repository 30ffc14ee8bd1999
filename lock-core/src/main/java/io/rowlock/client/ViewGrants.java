package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The grants threads have through views, which give them no handle to close. Each thread touches its own only; a thread
 * without any is not in it. Thread-safe.
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

    int size() {
        return grants.size();
    }
}
