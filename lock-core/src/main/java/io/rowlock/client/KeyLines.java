package io.rowlock.client;

import io.rowlock.LockStoreException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The lines of all keys this process uses at the moment; a line nobody uses is gone. Thread-safe. */
final class KeyLines {
    private final ConcurrentMap<LockId, KeyLine> lines = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable LockStoreException> lastOutage = new AtomicReference<>();
    private volatile boolean shut;

    /** @return the line of a key, to be given back by {@link #leave} */
    KeyLine use(LockId id) {
        KeyLine used = lines.compute(id, (key, present) -> {
            KeyLine line = present == null ? new KeyLine(lastOutage) : present;
            line.users++;
            return line;
        });
        if (shut) {
            used.shut(true);
        }
        return used;
    }

    /** Sends everybody away who waits, now and later, or opens all lines again. */
    void shut(boolean forNow) {
        shut = forNow;
        lines.values().forEach(line -> line.shut(forNow));
    }

    /** How many threads wait for a key. */
    int waiting(LockId id) {
        KeyLine line = lines.get(id);
        return line == null ? 0 : line.waiting();
    }

    /** How many threads wait for any key. */
    int waiting() {
        return lines.values().stream().mapToInt(KeyLine::waiting).sum();
    }

    void leave(LockId id) {
        lines.computeIfPresent(id, (key, line) -> --line.users == 0 ? null : line);
    }

    int size() {
        return lines.size();
    }
}
