package io.rowlock.store.jdbc.lease;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The keys this process released a moment ago though others wait for them. Thread-safe; forgets by itself. */
final class ContendedKeys {
    private static final long MOMENT = Duration.ofMillis(50).toNanos();
    private static final int MOST = 1_000;

    final ConcurrentMap<String, Long> until = new ConcurrentHashMap<>();

    void add(String key) {
        long now = System.nanoTime();
        if (until.size() >= MOST) {
            until.values().removeIf(time -> time - now <= 0);
        }
        if (until.size() < MOST || until.containsKey(key)) {
            until.put(key, now + MOMENT);
        }
    }

    boolean contains(String key) {
        Long time = until.get(key);
        return time != null && (time - System.nanoTime() > 0 || !until.remove(key, time));
    }
}
