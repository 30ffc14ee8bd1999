package io.rowlock;

import java.time.Duration;
import java.time.Instant;

/**
 * Something that happened to a lock, delivered to every {@link LockListener} and, in a Spring context, published as an
 * application event.
 *
 * @param type what happened
 * @param key the lock key
 * @param name the static name of the lock, see {@link LockRequest#name()}; what many keys can be counted by
 * @param mode exclusive or shared
 * @param strategy the strategy that holds the lease
 * @param owner the owner as the lock table shows it; of {@link Type#BUSY} the last known holder, empty if there is
 *     none; of {@link Type#EXPIRED} the former owner
 * @param fencingToken the token of the grant, of {@link Type#AT_RISK} and {@link Type#LOST} of the latest grant of the lease; of
 *     {@link Type#BUSY} 0, of {@link Type#EXPIRED} the one of the first grant of the former owner's lease
 * @param waited how long the first holder of the lease waited for it; of {@link Type#BUSY} how long the caller
 *     waited; of {@link Type#EXPIRED} zero
 * @param held how long the lease had been held when this happened; of {@link Type#BUSY} zero, of {@link Type#EXPIRED} from
 *     when it was granted until it expired, by the database's clock
 * @param at when it happened, by this process's wall clock; for display only
 */
public record LockEvent(
        Type type,
        String key,
        String name,
        LockMode mode,
        String strategy,
        String owner,
        long fencingToken,
        Duration waited,
        Duration held,
        Instant at) {

    /** Creates an event that happens now. The wall clock is for people: nothing is decided by it. */
    public LockEvent(
            Type type,
            String key,
            String name,
            LockMode mode,
            String strategy,
            String owner,
            long fencingToken,
            Duration waited,
            Duration held) {
        this(type, key, name, mode, strategy, owner, fencingToken, waited, held, Instant.now());
    }

    /** The change of a lease. */
    public enum Type {
        /** The lease was granted. */
        ACQUIRED,
        /** The lease was released. */
        RELEASED,
        /** A renewal failed or is late: the lease is still held, but will be lost unless the next one succeeds. */
        AT_RISK,
        /** The lease is not held any more, or cannot be proven held, though it was not released. */
        LOST,
        /**
         * The lease expired without a release, because its holder died or was cut off. Fired once a lease, by the process that acquires the
         * key exclusively next. Not fired for locks kept by {@code holdAtLeast}, nor for leases without a row, such as those
         * of {@code row-lock}.
         */
        EXPIRED,
        /** An attempt to acquire it ended without it, because other owners had it until the wait time was over. */
        BUSY
    }

    /** In one line, whatever the key and the owner contain. */
    @Override
    public String toString() {
        return Printable.of(
                "LockEvent[type=%s, key=%s, name=%s, mode=%s, strategy=%s, owner=%s, fencingToken=%d, waited=%s, held=%s, at=%s]"
                        .formatted(type, key, name, mode, strategy, owner, fencingToken, waited, held, at));
    }
}
