package io.rowlock.interceptor;

import io.rowlock.LockRequest;

/**
 * Knows which requests the lock client cannot serve, so that annotations are checked at start-up and not by the first
 * call. Optional; asked once all singletons are there, and for lazy beans when they are made.
 */
@FunctionalInterface
public interface LockRequestValidator {
    /**
     * Checks a request without taking a lock.
     *
     * @param request a request as an annotated method would make it
     * @throws IllegalArgumentException if the strategy is unknown, or does not take such a mode, ttl or key
     */
    void validate(LockRequest request);
}
