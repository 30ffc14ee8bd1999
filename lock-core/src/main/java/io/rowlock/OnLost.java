package io.rowlock;

/** What happens to the thread whose lock is lost while it is at work. */
public enum OnLost {
    /** Nothing by itself: listeners and {@link HeldLock#onLost} are told, and a guarded transaction is refused its commit. */
    NOTIFY,

    /**
     * The thread that took the lock is interrupted, once, as long as it has not closed the lock. Nothing else is undone,
     * and the exception that ends its work is whatever that work makes of the interrupt. If it ends without noticing, the
     * interrupt flag is cleared again as the lock is closed, on the thread that took it, so that nothing the thread does
     * later is disturbed; an interrupt that somebody else sends in between goes with it. A thread that finds out itself,
     * because it is refused its commit or {@link HeldLock#extend}, gets that exception instead of an interrupt.
     */
    INTERRUPT
}
