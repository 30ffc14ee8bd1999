package io.rowlock.client.observe;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;

/**
 * The lock an observation is about.
 *
 * @param key the lock key as the program named it; there can be any number of different ones
 * @param name its static name, of which there are few; see {@link io.rowlock.LockRequest#name()}
 * @param mode exclusive or shared, as it was asked for
 * @param strategy the strategy that acquires it
 */
public record ObservedLock(String key, String name, LockMode mode, String strategy) {
    /** Returns what a request asks for. */
    public static ObservedLock of(ResolvedRequest request) {
        return new ObservedLock(
                request.name(),
                request.staticName(),
                request.mode(),
                request.store().strategy());
    }

    /**
     * Returns an event of it.
     *
     * @param held the mode in which it is held, which may have changed
     */
    public LockEvent event(LockEvent.Type type, LockMode held, String by, long token, Duration waited, Duration age) {
        return new LockEvent(type, key, name, held, strategy, by, token, waited, age);
    }
}
