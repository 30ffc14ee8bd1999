package io.rowlock.client.queue;

import io.rowlock.LockStoreException;
import io.rowlock.client.request.LockId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The lines of all keys this process uses at the moment; a line nobody uses is gone. Thread-safe. */
public final class LocalQueues {
    private final ConcurrentMap<LockId, LocalQueue> lines = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable LockStoreException> lastOutage = new AtomicReference<>();
    private volatile boolean shut;

    /** @return the line of a key, to be given back by {@link #leave} */
    public LocalQueue use(LockId id) {
        LocalQueue used = lines.compute(id, (key, present) -> {
            LocalQueue line = present == null ? new LocalQueue(lastOutage) : present;
            line.users++;
            return line;
        });
        if (shut) {
            used.shut(true);
        }
        return used;
    }

    /** Sends everybody away who waits, now and later, or opens all lines again. */
    public void shut(boolean forNow) {
        shut = forNow;
        lines.values().forEach(line -> line.shut(forNow));
    }

    /** How many threads wait for a key. */
    public int waiting(LockId id) {
        LocalQueue line = lines.get(id);
        return line == null ? 0 : line.waiting();
    }

    /** How many threads wait for any key. */
    public int waiting() {
        return lines.values().stream().mapToInt(LocalQueue::waiting).sum();
    }

    public void leave(LockId id) {
        lines.computeIfPresent(id, (key, line) -> --line.users == 0 ? null : line);
    }

    public int size() {
        return lines.size();
    }
}
