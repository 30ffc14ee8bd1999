package io.rowlock.sample.stage;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a lock or to one of its waiters, for the timeline.
 *
 * @param kind the type of the lock event; {@code WAITING} or {@code UNLOCKED} when a visitor comes, {@code DONE} when he leaves
 * @param node the node on which it happened
 * @param thread the lane of the timeline
 * @param key the lock key
 * @param mode exclusive, shared or a permit; null if no lock is wanted
 * @param token the fencing token; 0 if there is none
 * @param at the time, in microseconds since 1970 by the clock of the machine that all nodes run on
 */
public record Moment(
        String kind,
        String node,
        String thread,
        String key,
        @Nullable LockMode mode,
        long token,
        long at) {

    static Moment of(String kind, String node, String key, @Nullable LockMode mode) {
        return new Moment(kind, node, lane(), key, mode, 0, Span.now());
    }

    static Moment of(LockEvent event, String node) {
        return new Moment(
                event.type().name(),
                node,
                lane(),
                event.key(),
                event.mode(),
                event.fencingToken(),
                Span.micros(event.at()));
    }

    /** Returns the thread, or what is left of its name where the web server has given it a long one. */
    private static String lane() {
        return Thread.currentThread().getName().replaceFirst("^.*-exec-", "worker-");
    }
}
