package io.rowlock;

/**
 * Is told what happens to locks. Every bean of this type is called.
 *
 * <p>Everything is told on a thread that the listener has to itself, in the order in which it happened, so that no listener
 * holds up a lock. It may be up to 10,000 events late: of a listener that falls further behind, events are dropped, and a
 * warning says so. One that never {@linkplain #mayBlock() blocks} may choose to hear of acquired and released on the thread
 * that does it. A listener that throws is logged and harms nobody. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface LockListener {
    /**
     * Called once for each event.
     *
     * @param event what happened
     */
    void onEvent(LockEvent event);

    /**
     * Whether the listener may take its time. One that says it does not is told acquired and released on the thread that
     * acquires and releases, which waits for it before and after its work: if it blocks after all, locks stay held.
     *
     * @return false to be told acquired and released in place; true unless overridden
     */
    default boolean mayBlock() {
        return true;
    }
}
