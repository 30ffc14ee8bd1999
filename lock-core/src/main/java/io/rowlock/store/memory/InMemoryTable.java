package io.rowlock.store.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.inspection.LiveLock;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/** The rows of all keys. Thread-safe: {@code this} guards them. */
final class InMemoryTable {
    private final Map<String, InMemoryKey> keys = new HashMap<>();

    /** Does something with a key while no other thread does anything. */
    synchronized <T> T ask(String key, Function<InMemoryKey, T> work) {
        return work.apply(keys.computeIfAbsent(key, InMemoryKey::new));
    }

    /** The live rows of all keys that satisfy a condition, in the order of their bytes. */
    synchronized List<LiveLock> live(Predicate<String> wanted) {
        return keys.keySet().stream()
                .filter(wanted)
                .sorted(Comparator.comparing(key -> key.getBytes(UTF_8), Arrays::compareUnsigned))
                .flatMap(key -> ask(key, InMemoryKey::live).stream())
                .toList();
    }
}
