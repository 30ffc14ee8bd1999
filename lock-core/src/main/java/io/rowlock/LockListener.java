package io.rowlock;

/**
 * Is told what happens to locks. Every bean of this type is called.
 *
 * <p>Acquired and released are told on the thread that does it, unless the listener {@linkplain #mayBlock() may block}; the
 * others, and then those as well, on a thread that the listener has to itself, so that no listener holds up a renewal. What
 * is told on that thread comes in the order in which it happened, up to 10,000 events late: of a listener that falls further
 * behind, events are dropped, and a warning says so. A listener that throws is logged and harms nobody. Implementations
 * must be thread-safe.
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
     * Whether the listener may take its time, so that not even acquired and released are told on the thread that does it,
     * which would wait for the listener before and after its work.
     *
     * @return true to be told everything on a thread of its own; false unless overridden
     */
    default boolean mayBlock() {
        return false;
    }
}
