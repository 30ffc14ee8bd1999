package io.rowlock.store;

import java.util.Optional;

/** What one attempt to take a lease came to. */
public sealed interface Attempt {
    /**
     * The lease is taken, if this answer arrived before the lease's ttl was over.
     *
     * @param lease the lease
     */
    record Granted(Lease lease) implements Attempt {}

    /**
     * The key is closed to newcomers on the caller's behalf, but shared holders are still inside. The lease must be
     * renewed and in the end released like a granted one; it is granted once {@link LockStore#drained} says so.
     *
     * @param lease the lease on the gate
     */
    record Draining(Lease lease) implements Attempt {}

    /**
     * Somebody else has it.
     *
     * @param holder who, if that could be seen
     */
    record Busy(Optional<Holder> holder) implements Attempt {}
}
