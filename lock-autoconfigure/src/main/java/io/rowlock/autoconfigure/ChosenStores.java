package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A store for each strategy, and the name of the default one.
 *
 * @param stores the first store of each strategy
 * @param strategy the default one
 */
record ChosenStores(List<LockStore> stores, String strategy) {
    static ChosenStores of(Stream<LockStore> ordered, RowlockProperties properties) {
        Map<String, LockStore> byStrategy = new LinkedHashMap<>();
        ordered.forEach(store -> byStrategy.putIfAbsent(store.strategy(), store));
        // The setting, else the only strategy there is, else the one that fits most
        String strategy = Optional.ofNullable(properties.strategy())
                .orElseGet(() ->
                        byStrategy.size() == 1 ? byStrategy.keySet().iterator().next() : "lease");
        requireKnown(strategy, byStrategy.keySet());
        Duration shortest =
                Objects.requireNonNull(byStrategy.get(strategy)).capabilities().shortestTtl();
        PropertyLimit.require(
                properties.ttl().compareTo(shortest) >= 0,
                "rowlock.ttl",
                properties.ttl(),
                "The strategy \"%s\" needs at least %s.".formatted(strategy, Printable.of(shortest)));
        return new ChosenStores(List.copyOf(byStrategy.values()), strategy);
    }

    /** Refuses a strategy that has no store. */
    static void requireKnown(String strategy, Set<String> known) {
        PropertyLimit.require(
                known.contains(strategy),
                "rowlock.strategy",
                strategy,
                ("There is no such strategy, known are: %s. Strategy redis needs io.rowlock:rowlock-redis-spring-boot-starter, "
                                + "rowlock.redis.enabled, and a LettuceConnectionFactory: the only one, @Primary or named "
                                + "\"rowlockRedisConnectionFactory\".")
                        .formatted(known));
    }
}
