package io.rowlock;

/**
 * Is notified of what happens to locks. Every bean of this type is called.
 *
 * <p>A listener is called on a thread of its own, in the order of the events, so that no listener delays a lock. It may be up to
 * 10,000 events late; if it falls further behind, events are dropped with a warning. A listener that never
 * {@linkplain #mayBlock() blocks} may choose to be called in place when a lock is acquired or released. What a listener throws
 * is logged and has no other effect. Implementations must be thread-safe.
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
     * Returns true if the listener may block. If not, {@link LockEvent.Type#ACQUIRED} and {@link LockEvent.Type#RELEASED} are delivered
     * on the thread that acquires and releases, which waits for the listener: if it blocks nevertheless, locks stay held.
     *
     * @return false to be called in place; true unless overridden
     */
    default boolean mayBlock() {
        return true;
    }
}
