package io.rowlock.client.request;

import io.rowlock.LockEvent;
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
 * @param store the strategy that takes it
 * @param name the key as the program named it
 * @param key the key as the table has it
 * @param mode exclusive, shared or a permit
 * @param ttl how long the lease lasts without a renewal
 * @param renewal whether it is renewed
 * @param renewalInterval how long after a renewal the next is due
 * @param holdAtLeast how long it stays taken at least
 * @param owner the owner that takes it
 * @param staticName what it is called where many keys are counted together
 * @param permits how many holders a permit may have beside it, itself included; zero for every other mode
 * @param asked which of these the request itself names
 */
public record ResolvedRequest(
        LockStore store,
        String name,
        String key,
        LockMode mode,
        Duration ttl,
        boolean renewal,
        Duration renewalInterval,
        Duration holdAtLeast,
        String owner,
        String staticName,
        int permits,
        Asked asked) {

    /**
     * The parts that a request asks for itself. The rest is a default for the first grant, and a nested one takes it as it is.
     *
     * @param ttl whether it names a ttl
     * @param renewal whether it says that the lease is to be renewed
     */
    public record Asked(boolean ttl, boolean renewal) {
        /** Everything is a default. */
        public static final Asked NOTHING = new Asked(false, false);

        static Asked of(LockRequest request) {
            return new Asked(request.ttl() != null, Boolean.TRUE.equals(request.renewal()));
        }
    }

    /** @throws IllegalArgumentException if the strategy does not take such a ttl */
    public static void checkTtl(LockStore store, Duration ttl) {
        StoreCapabilities limits = store.capabilities();
        if (ttl.compareTo(limits.shortestTtl()) < 0 || ttl.compareTo(limits.longestTtl()) > 0) {
            throw new IllegalArgumentException("The ttl is %s, but strategy \"%s\" takes %s to %s"
                    .formatted(
                            Printable.of(ttl),
                            store.strategy(),
                            Printable.of(limits.shortestTtl()),
                            Printable.of(limits.longestTtl())));
        }
    }

    public LockId id() {
        return new LockId(store.strategy(), key, mode == LockMode.PERMIT);
    }

    /** The same, shared and with another ttl. */
    public ResolvedRequest shared(Duration newTtl, Duration newInterval) {
        return new ResolvedRequest(
                store,
                name,
                key,
                LockMode.SHARED,
                newTtl,
                renewal,
                newInterval,
                holdAtLeast,
                owner,
                staticName,
                0,
                asked);
    }

    /** Returns an event of it. */
    public LockEvent event(LockEvent.Type type, LockMode held, String by, long token, Duration waited, Duration age) {
        return new LockEvent(type, name, staticName, held, store.strategy(), by, token, waited, age);
    }

    /** A request for one attempt, after waiting for {@code waited}, to be answered within {@code timeLimit}. */
    public LeaseRequest leaseRequest(Duration waited, Duration timeLimit) {
        return new LeaseRequest(key, mode, owner, ttl, LeaseRequest.freshNonce(), waited, timeLimit, permits);
    }
}
