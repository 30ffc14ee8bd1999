package io.rowlock.test;

import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A lock table in memory, for tests that need locks but no database: it is held to the same contract as the strategies
 * that are for use, {@link LockStoreContract}. Its time is the process's monotonic clock. There is nothing that a commit
 * could be checked on, so a transaction is refused its commit by the client's own clock alone.
 *
 * <p>Thread-safe. Locks of one table exclude each other, whichever store of it they are taken from; two tables know
 * nothing of each other.
 */
public final class MemoryLocks {
    /** What the strategy of its stores is called. */
    public static final String STRATEGY = "memory";

    private final Map<String, MemoryKey> keys = new HashMap<>();

    /** @return a new node's view of this table */
    public LockStore store() {
        return new MemoryLockStore(this);
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

    /** As {@link #change}, with an answer. */
    synchronized <T> T ask(String key, Function<MemoryKey, T> work) {
        return work.apply(keys.computeIfAbsent(key, MemoryKey::new));
    }
}
