package io.rowlock;

import org.jspecify.annotations.Nullable;

/**
 * A body to run under a lock.
 *
 * @param <T> what it returns
 * @param <E> what it throws
 */
@FunctionalInterface
public interface LockedCall<T extends @Nullable Object, E extends Exception> {
    /**
     * Runs the body.
     *
     * @return its result
     * @throws E as the body does
     */
    T call() throws E;
}
