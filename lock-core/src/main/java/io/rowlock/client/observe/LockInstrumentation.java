package io.rowlock.client.observe;

import java.time.Duration;

/**
 * Measures a client: it is called when a thread begins and ends to wait for a lock and to hold one, so that both
 * can be timed and traced. A client has one. Listeners are for programs that act on what happens to locks; this is for meters.
 *
 * <p>Called on the threads that take, renew and release locks, so it must not block. What it throws is logged and harms no
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
    default Waiting waiting(ObservedLock lock) {
        return Waiting.NONE;
    }

    /**
     * The calling thread holds a lock from now on.
     *
     * @param lock what it holds
     * @param fencingToken the token of the grant
     * @return what is called when that ends: once, on any thread
     */
    default Holding holding(ObservedLock lock, long fencingToken) {
        return Holding.NONE;
    }

    /**
     * The calling thread got a lock from another thread of the process, or joined readers of the process, without asking the
     * database.
     *
     * @param lock what it got
     */
    default void handedOn(ObservedLock lock) {}

    /**
     * A statement that renews leases was answered, or failed. Called once for each outcome.
     *
     * @param strategy whose leases they are
     * @param outcome the outcome
     * @param leases for how many of them
     * @param took from when it was sent until it was answered
     */
    default void renewal(String strategy, RenewalOutcome outcome, int leases, Duration took) {}

    /**
     * A lease will be lost unless its next renewal succeeds. Called as often as
     * {@link io.rowlock.LockEvent.Type#AT_RISK} is.
     *
     * @param lock the lock as the first thread asked for it that got the lease
     */
    default void atRisk(ObservedLock lock) {}

    /**
     * A lease is lost. Called once a lease, and exactly as often as {@link io.rowlock.LockEvent.Type#LOST} is.
     *
     * @param lock the lock as the first thread asked for it that got the lease
     */
    default void lost(ObservedLock lock) {}

    /**
     * The thread that held a lock has ended without closing it. Called once a lock, after some seconds.
     *
     * @param lock the lock as the thread asked for it first
     */
    default void abandoned(ObservedLock lock) {}

    /**
     * The commit of a transaction was refused, because a lock it relied on was lost.
     *
     * @param lock the first lock that was found to be lost
     */
    default void fenceRejected(ObservedLock lock) {}

    /** A wait for one key. */
    interface Waiting {
        /** Measures nothing. */
        Waiting NONE = new Waiting() {};

        /**
         * Notes that it ended with the lock.
         *
         * @param fencingToken the token of the grant
         */
        default void acquired(long fencingToken) {}

        /** Notes that it ended without the lock, because other owners had it until the wait time was over. */
        default void busy() {}

        /** Notes that the thread was interrupted. */
        default void interrupted() {}

        /**
         * Notes that it ended with an error, such as a database that does not answer.
         *
         * @param failure the error
         */
        default void failed(Throwable failure) {}
    }

    /** The time in which a thread holds one key. */
    interface Holding {
        /** Measures nothing. */
        Holding NONE = new Holding() {};

        /** Notes that the holder released it. */
        default void released() {}

        /** Notes that it was lost. */
        default void lost() {}

        /**
         * The holder released it, but the database did not answer, so it may stay taken until its ttl is over.
         *
         * @param failure the error
         */
        default void failed(Throwable failure) {}
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
