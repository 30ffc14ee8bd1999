package io.rowlock.client.request;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.StoreCapabilities;
import java.time.Duration;

/**
 * A key of a request, with every default filled in.
 *
 * @param store the strategy that acquires it
 * @param asked the request itself; what it leaves to a default, a nested grant takes as the first one has it
 * @param name the key as the program named it
 * @param key the key as the table has it
 * @param mode exclusive, shared or a permit
 * @param ttl how long the lease lasts without a renewal
 * @param renewal whether it is renewed
 * @param owner the owner that acquires it
 */
public record ResolvedRequest(
        LockStore store,
        LockRequest asked,
        String name,
        String key,
        LockMode mode,
        Duration ttl,
        boolean renewal,
        String owner) {

    /**
     * The key that threads of this process queue for. Permits of a key are queued for apart from its locks: a thread that waits for one
     * does not stand in the way of the other.
     *
     * @param strategy the strategy: exclusion is promised within one, not between two
     * @param key the key as the table has it, prefix included
     * @param permit whether it is a permit, of which a thread may have several
     */
    public record Id(String strategy, String key, boolean permit) {}

    /** @throws IllegalArgumentException if the strategy does not take such a ttl */
    public static void checkTtl(LockStore store, Duration ttl) {
        Duration shortest = store.capabilities().shortestTtl();
        if (ttl.compareTo(shortest) < 0 || ttl.compareTo(StoreCapabilities.LONGEST_TTL) > 0) {
            throw new IllegalArgumentException("The ttl is %s, but strategy \"%s\" takes %s to %s"
                    .formatted(
                            Printable.of(ttl),
                            store.strategy(),
                            Printable.of(shortest),
                            Printable.of(StoreCapabilities.LONGEST_TTL)));
        }
    }

    public Id id() {
        return new Id(store.strategy(), key, mode == LockMode.PERMIT);
    }

    /** Returns what it is called where many keys are counted together. */
    public String staticName() {
        return asked.name();
    }

    /** The same, shared and with another ttl. */
    public ResolvedRequest shared(Duration newTtl) {
        return new ResolvedRequest(store, asked, name, key, LockMode.SHARED, newTtl, renewal, owner);
    }

    /** Returns a request for one attempt, to be answered within {@code timeLimit}. */
    public LeaseRequest leaseRequest(Duration timeLimit) {
        return new LeaseRequest(key, mode, owner, ttl, LeaseRequest.freshNonce(), timeLimit, asked.permits());
    }
}
