package io.rowlock;

/**
 * A body without a result to run under a lock.
 *
 * @param <E> what it throws
 */
@FunctionalInterface
public interface LockedAction<E extends Exception> {
    /**
     * Runs the body.
     *
     * @throws E as the body does
     */
    void run() throws E;
}
