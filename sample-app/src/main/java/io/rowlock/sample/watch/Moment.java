package io.rowlock.sample.watch;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a lock or to one of its waiters, for the timeline.
 *
 * @param kind what happened
 * @param node where
 * @param thread on which thread
 * @param key the lock key
 * @param mode exclusive, shared or a permit; null if no lock is wanted
 * @param token the fencing token; 0 if there is none
 * @param at when, in microseconds since 1970 by the clock of the machine that all nodes run on
 */
public record Moment(
        Kind kind,
        String node,
        String thread,
        String key,
        @Nullable LockMode mode,
        long token,
        long at) {

    /** What happens on a lane of the timeline. */
    public enum Kind {
        /** A thread wants the lock. */
        WAITING,
        /** A thread does without a lock what should have one. */
        UNLOCKED,
        /** A thread that wanted the lock, or did without, is done. */
        DONE,
        /** As the event of that name. */
        ACQUIRED,
        /** As the event of that name. */
        RELEASED,
        /** As the event of that name. */
        AT_RISK,
        /** As the event of that name. */
        LOST,
        /** As the event of that name. */
        EXPIRED,
        /** As the event of that name. */
        BUSY
    }

    static Moment of(Kind kind, String node, String key, @Nullable LockMode mode) {
        return new Moment(kind, node, Thread.currentThread().getName(), key, mode, 0, micros(Instant.now()));
    }

    static Moment of(LockEvent event, String node) {
        return new Moment(
                Kind.valueOf(event.type().name()),
                node,
                Thread.currentThread().getName(),
                event.key(),
                event.mode(),
                event.fencingToken(),
                micros(event.at()));
    }

    /** Now, as the timeline counts. */
    public static long now() {
        return micros(Instant.now());
    }

    private static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }
}
