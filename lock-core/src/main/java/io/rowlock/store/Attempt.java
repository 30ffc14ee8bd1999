package io.rowlock.store;

import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.util.Optional;

/** The outcome of one attempt to acquire a lease. */
public sealed interface Attempt {
    /** A lease was acquired, if this answer arrived before the lease's ttl was over. */
    sealed interface Taken extends Attempt {
        /** @return the lease */
        Lease lease();

        /** @return what was taken over: a lease that had expired, if there was one and the store can tell */
        Optional<ExpiredLease> former();

        /**
         * How long the lease lasts, counted from when the attempt was made, if that is not its ttl. A store that grants a
         * lease to a waiter before the waiter asks again promises it for a short time only, so that a waiter that has died
         * blocks its key no longer than that. The first renewal has it last for its ttl.
         *
         * @return the time; empty if it is the ttl
         */
        Optional<Duration> promise();
    }

    /**
     * The lease is granted.
     *
     * @param lease the lease
     * @param former what was taken over
     * @param promise how long it lasts if that is not its ttl
     */
    record Granted(Lease lease, Optional<ExpiredLease> former, Optional<Duration> promise) implements Taken {}

    /**
     * The key is closed to newcomers on the caller's behalf, but shared holders are still inside. The lease must be
     * renewed and in the end released like a granted one; it is granted once {@link LockStore#drained} says so.
     *
     * @param lease the exclusive lease that closed the key
     * @param former what was taken over
     * @param promise how long it lasts if that is not its ttl
     */
    record Draining(Lease lease, Optional<ExpiredLease> former, Optional<Duration> promise) implements Taken {}

    /**
     * Another lease holds the key.
     *
     * @param holder who, if that could be seen
     */
    record Busy(Optional<Holder> holder) implements Attempt {}
}
