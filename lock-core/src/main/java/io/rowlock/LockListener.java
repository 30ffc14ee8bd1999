package io.rowlock;

/**
 * Is told what happens to locks. Every bean of this type is called.
 *
 * <p>Acquired and released are told on the thread that does it, the others on a thread for events, so that no listener
 * holds up a renewal. A listener that throws is logged and harms nobody. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface LockListener {
    /**
     * Called once for each event.
     *
     * @param event what happened
     */
    void onEvent(LockEvent event);
}
