package io.rowlock.client;

import java.time.Duration;

/** The data of a store as an operator sees and changes it behind the back of all nodes. */
public interface LockData {
    /** How many leases of the key last. */
    int live(String key);

    /** Whether no lease of the key lasts. */
    default boolean isFree(String key) {
        return live(key) == 0;
    }

    /** The fence of the last exclusive lease. */
    long fence(String key);

    /** Whether a process is in the queue for the key. */
    boolean isWaitedFor(String key);

    /** How long the key's longest lease lasts. */
    long millisLeft(String key);

    /** Makes every lease of the key run out now. */
    void age(String key);

    /** Has the shared leases of the key last that long from now. */
    void shorten(String key, Duration left);

    /** Ends the exclusive lease of the key. */
    void forceRelease(String key);

    /** Makes every attempt and renewal fail until {@link #unhide}. */
    void hide();

    void unhide();

    /** Ends every connection of every node, in the middle of whatever it does. */
    void killSessions();

    /** A number that a lost update would spoil. */
    int balance();

    void setBalance(int balance);
}
