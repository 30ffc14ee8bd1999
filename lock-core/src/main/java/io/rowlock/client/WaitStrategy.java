package io.rowlock.client;

import java.time.Duration;

/** How whoever has the turn for a key waits until it is worth asking the database again. */
@FunctionalInterface
interface WaitStrategy {
    /**
     * Waits.
     *
     * @param key what is waited for
     * @param atMost no longer than this
     * @throws InterruptedException if the thread was interrupted
     */
    void await(LockId key, Duration atMost) throws InterruptedException;
}
