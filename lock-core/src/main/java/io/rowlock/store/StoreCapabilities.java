package io.rowlock.store;

import io.rowlock.LockMode;
import java.time.Duration;
import java.util.Set;

/**
 * The abilities of a strategy. They stay the same for as long as the store lives.
 *
 * @param modes the modes in which leases can be acquired
 * @param shortestTtl the shortest ttl it takes, longer than 0
 * @param lastsForTtl whether no other owner gets the key of a lease before its ttl is over, unless the lease is released. Not
 *     so if a lease ends with a session, perhaps before its holder notices
 * @param handoffs how often an exclusive lease may be handed on inside its process
 */
public record StoreCapabilities(Set<LockMode> modes, Duration shortestTtl, boolean lastsForTtl, Handoffs handoffs) {

    /** The longest ttl that every strategy takes. */
    public static final Duration LONGEST_TTL = Duration.ofDays(365);

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
}
