package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.client.event.LockInstrumentation.RenewalOutcome;
import io.rowlock.store.Lease;
import java.time.Duration;

/**
 * Is told what happens to the locks of a client. The log, the meters and the listeners are observers; {@link Observers} tells each of
 * them. Called without a guard, on the threads that acquire, renew and release locks.
 */
public interface LockObserver {
    /** Notes that the calling thread begins to ask for a lock that it does not hold. */
    default Wait asking(ObservedLock lock) {
        return Wait.NONE;
    }

    /** Notes that the calling thread got a lock from another thread of the process, or joined readers of it. */
    default void handedOn(ObservedLock lock) {}

    /** Notes that a lease will be lost unless its next renewal succeeds; once for each renewal that is missed. */
    default void atRisk(LockEvent event, ObservedLock lock) {}

    /** Notes the loss of a lease, once. */
    default void lost(LockEvent event, ObservedLock lock) {}

    /** Notes that a lease was replaced that had expired in use. */
    default void expired(LockEvent event, Lease former) {}

    /** Notes the answer to a renewal, or that there was none. */
    default void renewed(String strategy, RenewalOutcome outcome, int leases, Duration took) {}

    /** Notes that a commit was refused, because the lock is lost. */
    default void commitRefused(ObservedLock lock) {}

    /** Notes that a thread ended without closing a lock. */
    default void abandoned(ObservedLock lock) {}

    /**
     * A lease that a thread has got.
     *
     * @param lease the lease, in the mode in which the thread holds it
     * @param token the token of the grant
     * @param waited for how long the thread waited
     */
    record Granted(Lease lease, long token, Duration waited) {}

    /** A thread's wait for a lock, which ends once. */
    interface Wait {
        /** Tells nobody. */
        Wait NONE = new Wait() {};

        /** Notes that the thread has got a lease; it may not use it yet. */
        default Hold granted(Granted granted) {
            return Hold.NONE;
        }

        /** Notes that others had the lock until the wait time was over. */
        default void busy(LockEvent event) {}

        default void interrupted() {}

        default void failed(Throwable failure) {}
    }

    /** A thread's lock, which ends once: released or lost. */
    interface Hold {
        /** Tells nobody. */
        Hold NONE = new Hold() {};

        /** Notes that the thread may use it, which ends the wait. */
        default void acquired(LockEvent event) {}

        /** Notes that a transaction under it has committed. */
        default void completed() {}

        /** Notes that it is shared from now on, under another lease. */
        default void downgraded(Granted shared) {}

        default void released(LockEvent event) {}

        default void lost() {}

        /** Notes that it is released, but that the database did not answer: {@link #released} may follow. */
        default void unanswered(Throwable failure) {}
    }
}
