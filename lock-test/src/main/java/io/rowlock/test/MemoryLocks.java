package io.rowlock.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;
import io.rowlock.store.LiveLock;
import io.rowlock.store.LockStore;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A lock table in memory, for tests that need locks but no database: it is held to the same contract as the strategies
 * that are for use, {@link LockStoreContract}. Its time is the process's monotonic clock. There is nothing that a commit
 * could be checked on, so a transaction is refused its commit by the client's own clock alone.
 *
 * <p>Thread-safe. Locks of one table exclude each other, whichever store of it they are taken from; two tables know
 * nothing of each other.
 */
public final class MemoryLocks {
    /** What the strategy of its stores is called unless they get another name. */
    public static final String STRATEGY = "memory";

    private final Map<String, MemoryKey> keys = new HashMap<>();

    /** @return a new node's view of this table */
    public LockStore store() {
        return store(STRATEGY);
    }

    /**
     * A new node's view of this table, in place of a strategy. Unlike those of two strategies, locks of two such stores
     * exclude each other.
     *
     * @param strategy what it is called
     * @return the store
     */
    public LockStore store(String strategy) {
        return new MemoryLockStore(this, strategy);
    }

    /**
     * Has a lease run out now, as if its ttl had passed without a renewal. Whoever holds it finds out by its next renewal.
     *
     * @param lease the lease; harmless if it lasts no more
     */
    public void expire(Lease lease) {
        change(lease.key(), row -> row.expire(lease));
    }

    /**
     * Has every lease of a key run out now.
     *
     * @param key the key, with {@code rowlock.key-prefix}
     */
    public void expire(String key) {
        change(key, MemoryKey::expireAll);
    }

    /** Does something with a key's row while nobody else does anything. */
    void change(String key, Consumer<MemoryKey> work) {
        boolean unused = ask(key, row -> {
            work.accept(row);
            return true;
        });
    }

    /** The rows of all keys that satisfy a condition, in the order of their bytes. */
    synchronized List<LiveLock> live(Predicate<String> keysWanted) {
        return keys.keySet().stream()
                .filter(keysWanted)
                .sorted(Comparator.comparing(key -> key.getBytes(UTF_8), Arrays::compareUnsigned))
                .flatMap(key -> ask(key, MemoryKey::live).stream())
                .toList();
    }

    /** As {@link #change}, with an answer. */
    synchronized <T> T ask(String key, Function<MemoryKey, T> work) {
        return work.apply(keys.computeIfAbsent(key, MemoryKey::new));
    }
}
