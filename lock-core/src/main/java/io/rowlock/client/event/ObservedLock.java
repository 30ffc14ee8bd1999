package io.rowlock.client.event;

import io.rowlock.LockMode;
import io.rowlock.client.request.ResolvedRequest;

/**
 * The lock an observation is about.
 *
 * @param key the lock key as the program named it; there can be any number of different ones
 * @param name its static name, of which there are few; see {@link io.rowlock.LockRequest#name()}
 * @param mode exclusive or shared, as it was asked for
 * @param strategy the strategy that takes it
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
}
