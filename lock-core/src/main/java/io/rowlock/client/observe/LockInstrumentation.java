package io.rowlock.client.observe;

import java.time.Duration;

/**
 * Measures a client: it is called when a thread begins and ends to wait for a lock and to hold one, so that both
 * can be timed and traced. A client has one. Listeners are for programs that act on what happens to locks; this is for meters.
 *
 * <p>Called on the threads that acquire, renew and release locks, so it must not block. What it throws is logged and harms no
 * lock. Implementations must be thread-safe.
 */
public interface LockInstrumentation {
    /** Measures nothing. A client that has it spends nothing on measuring. */
    LockInstrumentation NONE = new LockInstrumentation() {};

    /**
     * The calling thread begins to ask for a lock that it does not hold yet, and will wait if it has to.
     *
     * @param lock what it asks for; each key of a request is asked for by itself
     * @return what is called when the wait ends: once, on the same thread
     */
    default Measurement waiting(ObservedLock lock) {
        return Measurement.NONE;
    }

    /**
     * The calling thread holds a lock from now on.
     *
     * @param lock what it holds
     * @param fencingToken the token of the grant
     * @return what is called when that ends: once, on any thread
     */
    default Measurement holding(ObservedLock lock, long fencingToken) {
        return Measurement.NONE;
    }

    /**
     * Something has happened to a lock.
     *
     * @param what what it was
     * @param lock the lock as the first thread asked for it that got the lease
     */
    default void count(Incident what, ObservedLock lock) {}

    /**
     * A statement that renews leases was answered, or failed. Called once for each outcome.
     *
     * @param strategy whose leases they are
     * @param outcome the outcome
     * @param leases for how many of them
     * @param took from when it was sent until it was answered
     */
    default void renewal(String strategy, RenewalOutcome outcome, int leases, Duration took) {}

    /** A wait for one key, or the time in which a thread holds one. */
    interface Measurement {
        /** Measures nothing. */
        Measurement NONE = new Measurement() {};

        /**
         * Notes that it ended.
         *
         * @param how the way in which it did
         * @param fencingToken the token that a wait has ended with; else 0
         */
        default void ended(Outcome how, long fencingToken) {}

        /**
         * Notes that it ended with an error, such as a database that does not answer: a wait, or a release, after which the lock may stay
         * held until its ttl is over.
         *
         * @param failure the error
         */
        default void failed(Throwable failure) {}
    }

    /** The end of a wait or of a hold. */
    enum Outcome {
        /** The wait ended with the lock. */
        ACQUIRED,
        /** Other owners had the lock until the wait time was over. */
        BUSY,
        /** The waiting thread was interrupted. */
        INTERRUPTED,
        /** The holder released the lock. */
        RELEASED,
        /** The lock was lost. */
        LOST
    }

    /** An event in the life of a lock. */
    enum Incident {
        /** A thread got it from another thread of the process, or joined readers of the process, without asking the database. */
        HANDED_ON,
        /** Its lease will be lost unless the next renewal succeeds. As often as {@link io.rowlock.LockEvent.Type#AT_RISK}. */
        AT_RISK,
        /** Its lease is lost. Once a lease, exactly as often as {@link io.rowlock.LockEvent.Type#LOST}. */
        LOST,
        /** The thread that held it has ended without closing it. Once a lock, after some seconds. */
        ABANDONED,
        /** The commit of a transaction that relied on it was refused, because it was the first that was found to be lost. */
        COMMIT_REFUSED
    }

    /** The outcome of a renewal. */
    enum RenewalOutcome {
        /** The leases last longer now. */
        RENEWED,
        /** They are lost. */
        LOST,
        /** Their rows could not be reached, for example because another transaction has locked them. */
        UNKNOWN,
        /** The database could not be asked. */
        ERROR
    }
}
