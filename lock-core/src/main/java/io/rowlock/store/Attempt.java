package io.rowlock.store;

import io.rowlock.store.inspection.Holder;
import java.util.Optional;

/** What one attempt to take a lease came to. */
public sealed interface Attempt {
    /**
     * The lease is taken, if this answer arrived before the lease's ttl was over.
     *
     * @param lease the lease
     * @param former what was taken over: a lease that had run out, if there was one and the store can tell
     */
    record Granted(Lease lease, Optional<ExpiredLease> former) implements Attempt {
        /**
         * Without a former one.
         *
         * @param lease the lease
         */
        public Granted(Lease lease) {
            this(lease, Optional.empty());
        }
    }

    /**
     * The key is closed to newcomers on the caller's behalf, but shared holders are still inside. The lease must be
     * renewed and in the end released like a granted one; it is granted once {@link LockStore#drained} says so.
     *
     * @param lease the lease on the gate
     * @param former what was taken over: a lease that had run out, if there was one and the store can tell
     */
    record Draining(Lease lease, Optional<ExpiredLease> former) implements Attempt {}

    /**
     * Another lease holds the key.
     *
     * @param holder who, if that could be seen
     */
    record Busy(Optional<Holder> holder) implements Attempt {}
}
