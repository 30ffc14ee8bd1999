package io.rowlock.store;

import io.rowlock.LockMode;
import java.time.Duration;
import java.util.Set;

/**
 * The abilities of a strategy. They stay the same for as long as the store lives.
 *
 * @param modes the modes in which leases can be taken
 * @param shortestTtl the shortest ttl it takes, longer than 0
 * @param longestTtl the longest ttl it takes
 * @param lastsForTtl whether no other owner gets the key of a lease before its ttl is over, unless the lease is released. Not
 *     so if a lease ends with a session, perhaps before its holder notices
 * @param handoffs how often an exclusive lease may be handed on inside its process
 */
public record StoreCapabilities(
        Set<LockMode> modes, Duration shortestTtl, Duration longestTtl, boolean lastsForTtl, Handoffs handoffs) {

    /** Exclusive and shared leases, from one second to a year, no hand-off. */
    public static final StoreCapabilities DEFAULT = new StoreCapabilities(
            Set.of(LockMode.EXCLUSIVE, LockMode.SHARED),
            Duration.ofSeconds(1),
            Duration.ofDays(365),
            true,
            Handoffs.NONE);

    public StoreCapabilities {
        modes = Set.copyOf(modes);
    }

    /**
     * How often an exclusive lease may have been handed on from thread to thread of its process by now. The n-th thread after
     * the first one gets the token {@code fence + n}, so that many numbers must be free: no other lease of the key that is or
     * was granted exclusively ever has one of them, and each lease that comes later has a greater one, readers included.
     */
    @FunctionalInterface
    public interface Handoffs {
        /** The lease is released when its first holder leaves, unless readers of the process follow. */
        Handoffs NONE = (fence, held) -> 0;

        /** Each lease has {@link Lease#TOKENS} numbers for itself. */
        Handoffs RANGE = (fence, held) -> Lease.MOST_HANDOFFS;

        /**
         * Called often; sends no statement.
         *
         * @param fence the fence of the lease
         * @param held how long ago at least the answer came that granted it
         * @return how often
         */
        long most(long fence, Duration held);
    }

    /**
     * These capabilities with other modes.
     *
     * @param supported the modes
     * @return a copy
     */
    public StoreCapabilities withModes(LockMode... supported) {
        return new StoreCapabilities(Set.of(supported), shortestTtl, longestTtl, lastsForTtl, handoffs);
    }

    /**
     * These capabilities with another range of ttls.
     *
     * @param shortest the shortest ttl
     * @param longest the longest ttl
     * @return a copy
     */
    public StoreCapabilities withTtls(Duration shortest, Duration longest) {
        return new StoreCapabilities(modes, shortest, longest, lastsForTtl, handoffs);
    }

    /**
     * These capabilities with hand-offs.
     *
     * @param most how often a lease may be handed on
     * @return a copy
     */
    public StoreCapabilities withHandoffs(Handoffs most) {
        return new StoreCapabilities(modes, shortestTtl, longestTtl, lastsForTtl, most);
    }

    /** @return these capabilities of a store whose leases may end before their ttl is over */
    public StoreCapabilities endingEarly() {
        return new StoreCapabilities(modes, shortestTtl, longestTtl, false, handoffs);
    }
}
