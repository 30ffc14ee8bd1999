package io.rowlock.sample.stage;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a lock or to one of its waiters, for the timeline.
 *
 * @param kind the kind of event
 * @param node the node on which it happened
 * @param thread the lane of the timeline
 * @param key the lock key
 * @param mode exclusive, shared or a permit; null if no lock is wanted
 * @param token the fencing token; 0 if there is none
 * @param at the time, in microseconds since 1970 by the clock of the machine that all nodes run on
 */
public record Moment(
        Kind kind,
        String node,
        String thread,
        String key,
        @Nullable LockMode mode,
        long token,
        long at) {

    /** An event on a lane of the timeline. */
    public enum Kind {
        /** A thread wants the lock. */
        WAITING,
        /** A thread does without a lock what should have one. */
        UNLOCKED,
        /** A thread that wanted the lock, or did without, is done. */
        DONE,

        // As the lock events of these names
        ACQUIRED,
        RELEASED,
        AT_RISK,
        LOST,
        EXPIRED,
        BUSY
    }

    static Moment of(Kind kind, String node, String key, @Nullable LockMode mode) {
        return new Moment(kind, node, lane(), key, mode, 0, micros(Instant.now()));
    }

    static Moment of(LockEvent event, String node) {
        return new Moment(
                Kind.valueOf(event.type().name()),
                node,
                lane(),
                event.key(),
                event.mode(),
                event.fencingToken(),
                micros(event.at()));
    }

    /** Returns the thread, or what is left of its name where the web server has given it a long one. */
    private static String lane() {
        return Thread.currentThread().getName().replaceFirst("^.*-exec-", "worker-");
    }

    /** Returns the time as the timeline counts it. */
    public static long now() {
        return micros(Instant.now());
    }

    private static long micros(Instant at) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, at);
    }
}
