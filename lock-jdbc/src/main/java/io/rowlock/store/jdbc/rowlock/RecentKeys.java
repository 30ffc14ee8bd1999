package io.rowlock.store.jdbc.rowlock;

import java.util.LinkedHashMap;
import java.util.Map;

/** The keys that were used last, so many at most. Thread-safe. */
final class RecentKeys {
    private final Map<String, Boolean> keys;

    RecentKeys(int most) {
        keys = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > most;
            }
        };
    }

    synchronized boolean contains(String key) {
        return keys.get(key) != null;
    }

    synchronized void add(String key) {
        keys.put(key, true);
    }

    synchronized void remove(String key) {
        keys.remove(key);
    }
}
