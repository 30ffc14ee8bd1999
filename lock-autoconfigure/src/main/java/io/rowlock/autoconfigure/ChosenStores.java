package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One store a strategy, and properties that fit the default one. */
final class ChosenStores {
    private ChosenStores() {}

    /** The first store of each strategy. */
    static List<LockStore> of(Stream<LockStore> ordered, RowlockProperties properties) {
        Map<String, LockStore> byStrategy = new LinkedHashMap<>();
        ordered.forEach(store -> byStrategy.putIfAbsent(store.strategy(), store));
        LockStore standard = byStrategy.get(properties.strategy());
        if (standard == null) {
            PropertyLimit.require(
                    false,
                    "rowlock.strategy",
                    properties.strategy(),
                    "There is no such strategy, known are: " + String.join(", ", byStrategy.keySet()) + ".");
        } else {
            requireLongEnough(properties.ttl(), standard);
        }
        return List.copyOf(byStrategy.values());
    }

    private static void requireLongEnough(Duration ttl, LockStore store) {
        Duration shortest = store.capabilities().shortestTtl();
        PropertyLimit.require(
                ttl.compareTo(shortest) >= 0,
                "rowlock.ttl",
                ttl,
                "The strategy \"%s\" needs at least %s.".formatted(store.strategy(), Printable.of(shortest)));
    }
}
