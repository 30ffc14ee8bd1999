package io.rowlock.client;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The lines of all keys this process uses at the moment; a line nobody uses is gone. Thread-safe. */
final class KeyLines {
    private final ConcurrentMap<LockId, KeyLine> lines = new ConcurrentHashMap<>();

    /** @return the line of a key, to be given back by {@link #leave} */
    KeyLine use(LockId id) {
        return lines.compute(id, (key, present) -> {
            KeyLine line = present == null ? new KeyLine() : present;
            line.users++;
            return line;
        });
    }

    void leave(LockId id) {
        lines.computeIfPresent(id, (key, line) -> --line.users == 0 ? null : line);
    }

    int size() {
        return lines.size();
    }
}
