package io.rowlock;

import java.time.Duration;
import java.time.Instant;

/**
 * Something that happened to one lease, told to every {@link LockListener} and, in a Spring context, published as an
 * application event.
 *
 * @param type what happened
 * @param key the lock key
 * @param mode exclusive or shared
 * @param strategy the strategy that holds the lease
 * @param owner the owner as the lock table shows it
 * @param fencingToken the token of the lease
 * @param waited how long the first holder of the lease waited for it
 * @param held how long the lease had been held when this happened
 * @param at when it happened, by this process's wall clock; for display only
 */
public record LockEvent(
        Type type,
        String key,
        LockMode mode,
        String strategy,
        String owner,
        long fencingToken,
        Duration waited,
        Duration held,
        Instant at) {

    /** What happened to a lease. */
    public enum Type {
        /** It was granted. */
        ACQUIRED,
        /** It was given back. */
        RELEASED,
        /** A renewal failed or is late: the lease is still held, but will be lost unless the next one succeeds. */
        AT_RISK,
        /** It is not held any more, or cannot be proven held, though nobody released it. */
        LOST,
        /** It was taken over from a holder that had let its lease run out. */
        EXPIRED
    }
}
