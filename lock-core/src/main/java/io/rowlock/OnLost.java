package io.rowlock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The consequence of the loss of a lock for the thread that works under it, and for the call that guards the work. */
public enum OnLost {
    /** Nothing by itself: listeners and {@link HeldLock#onLost} are notified, and commits of guarded transactions are refused. */
    NOTIFY,

    /**
     * The thread that acquired the lock is interrupted once, unless it has closed the lock. Nothing else is undone; the work ends
     * with the exception it makes of the interrupt. If it ends without noticing the interrupt, closing the lock on that thread
     * clears the interrupt flag, so that nothing the thread does later is disturbed; an interrupt from another source in
     * between is cleared as well. A thread that finds the loss itself, because a commit or {@link HeldLock#extend} is refused,
     * gets that exception instead of an interrupt.
     */
    INTERRUPT,

    /**
     * As {@link #NOTIFY}, and the call ends with {@link LockLostException} once its body has ended and the lock was released:
     * an annotated method, its future or publisher, or {@link LockClient#execute}. What the body did stays done, unless a
     * transaction refused its commit. A body that ends with an exception of its own ends with that, which carries the loss as
     * suppressed. A lock that is closed by hand is closed quietly; {@link HeldLock#isLost} says whether it was lost.
     */
    THROW;

    private static final Logger log = LoggerFactory.getLogger(OnLost.class);

    /**
     * Ends a call whose body has returned: releases its lock. If that fails, it is tried again until the ttl is over.
     *
     * @param lock its lock, harmless if it is closed
     * @throws LockLostException if this is {@link #THROW} and the lock was lost
     */
    public void afterReturn(HeldLock lock) {
        try {
            lock.close();
        } catch (RuntimeException failure) {
            log.warn(
                    "The lock \"{}\" was not released; that is tried again until its ttl is over: {}",
                    Printable.of(lock.key()),
                    failure.getMessage(),
                    failure);
        }
        LockLostException loss = lossOf(lock);
        if (loss != null) {
            throw loss;
        }
    }

    /**
     * Ends a call whose body has thrown: releases its lock, and adds a failure to do so and the loss to what was thrown.
     *
     * @param lock its lock, harmless if it is closed
     * @param thrown what the body threw
     */
    public void afterThrow(HeldLock lock, Throwable thrown) {
        try {
            lock.close();
        } catch (RuntimeException failure) {
            if (failure != thrown) {
                thrown.addSuppressed(failure);
            }
        }
        LockLostException loss = thrown instanceof LockLostException ? null : lossOf(lock);
        if (loss != null) {
            thrown.addSuppressed(loss);
        }
    }

    private @Nullable LockLostException lossOf(HeldLock lock) {
        return this == THROW && lock.isLost()
                ? new LockLostException(
                        lock.key(),
                        lock.fencingToken(),
                        "it was lost before it was released, so another owner may have worked since then; what was committed is stored")
                : null;
    }
}
