package io.rowlock;

/**
 * Is notified of what happens to locks. Every bean of this type is called.
 *
 * <p>Listeners are called on a thread for events, in the order of the events, so that none delays a lock. They may be up to
 * 10,000 events late; if they fall further behind, events are dropped with a warning. A listener that does not
 * {@linkplain #mayBlock() block} is called in place when a lock is acquired, refused, released or found
 * expired. What a listener throws is logged and has no other effect. Implementations must be thread-safe.
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
     * Returns true if the listener may block, which is asked for each event. If not, {@link LockEvent.Type#ACQUIRED}, {@link
     * LockEvent.Type#BUSY}, {@link LockEvent.Type#EXPIRED} and {@link LockEvent.Type#RELEASED} are delivered on the thread that acquires
     * and releases, which waits for the listener: if it blocks nevertheless, locks stay held, and threads of the process wait. Listeners
     * that may block share a thread: each gets every event in order, and waits for the others.
     *
     * @return false to be called in place; true unless overridden
     */
    default boolean mayBlock() {
        return true;
    }
}
