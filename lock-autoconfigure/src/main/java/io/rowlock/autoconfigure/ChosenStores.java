package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A store for each strategy, and the name of the default one.
 *
 * @param stores the first store of each strategy
 * @param strategy the default one
 */
record ChosenStores(List<LockStore> stores, String strategy) {
    /** @param withoutRedis why the strategy redis is not there */
    static ChosenStores of(
            Stream<LockStore> ordered, RowlockProperties properties, Supplier<RuntimeException> withoutRedis) {
        Map<String, LockStore> byStrategy = new LinkedHashMap<>();
        ordered.forEach(store -> byStrategy.putIfAbsent(store.strategy(), store));
        // The setting, else the only strategy there is, else the one that fits most
        String strategy = Optional.ofNullable(properties.strategy())
                .orElseGet(() ->
                        byStrategy.size() == 1 ? byStrategy.keySet().iterator().next() : "lease");
        LockStore standard = byStrategy.get(strategy);
        if (standard == null) {
            if (strategy.equals(RedisAbsence.STRATEGY)) {
                throw withoutRedis.get();
            }
            PropertyLimit.require(
                    false,
                    "rowlock.strategy",
                    strategy,
                    "There is no such strategy, known are: " + String.join(", ", byStrategy.keySet()) + ".");
        } else {
            Duration shortest = standard.capabilities().shortestTtl();
            PropertyLimit.require(
                    properties.ttl().compareTo(shortest) >= 0,
                    "rowlock.ttl",
                    properties.ttl(),
                    "The strategy \"%s\" needs at least %s.".formatted(strategy, Printable.of(shortest)));
        }
        return new ChosenStores(List.copyOf(byStrategy.values()), strategy);
    }
}
