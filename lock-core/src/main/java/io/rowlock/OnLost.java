package io.rowlock;

/** What happens to a thread whose lock is lost while it works under it. */
public enum OnLost {
    /** Nothing by itself: listeners and {@link HeldLock#onLost} are notified, and commits of guarded transactions are refused. */
    NOTIFY,

    /**
     * The thread that took the lock is interrupted once, unless it has closed the lock. Nothing else is undone; the work ends
     * with the exception it makes of the interrupt. If it ends without noticing the interrupt, closing the lock on that thread
     * clears the interrupt flag, so that nothing the thread does later is disturbed; an interrupt from another source in
     * between is cleared as well. A thread that finds the loss itself, because a commit or {@link HeldLock#extend} is refused,
     * gets that exception instead of an interrupt.
     */
    INTERRUPT
}
