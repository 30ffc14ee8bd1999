package io.rowlock.store.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/** The rows of all keys, which it shows to an operator, too. Thread-safe: {@code this} guards them. */
final class InMemoryTable implements StoreInspection {
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

    @Override
    public List<LiveLock> page(KeyRange range, int limit) {
        return live(key -> key.startsWith(range.prefix())).stream()
                .filter(lock -> range.contains(lock.key(), lock.slot()))
                .limit(limit)
                .toList();
    }

    @Override
    public List<LiveLock> holders(String key) {
        return live(key::equals);
    }

    @Override
    public boolean end(LiveLock lock) {
        Long fence = lock.fence();
        return fence != null
                && ask(
                        lock.key(),
                        row -> row.release(
                                new Lease(lock.key(), lock.mode(), lock.slot(), fence, lock.owner()), Duration.ZERO));
    }

    @Override
    public void requireUsable() {}

    @Override
    public void requireRights() {}
}
