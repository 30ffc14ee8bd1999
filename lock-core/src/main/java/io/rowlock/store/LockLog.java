package io.rowlock.store;

import java.time.Duration;

/** The history of grants: who held which key, since when, and how it ended. Thread-safe. */
public interface LockLog extends AutoCloseable {
    /** A log that keeps nothing. */
    LockLog NONE = (strategy, lease, waited) -> Entry.NONE;

    /**
     * A lease was granted to a thread.
     *
     * @param strategy what took it
     * @param lease the lease
     * @param waited how long it was waited for
     * @return where the rest of its life is noted
     * @throws io.rowlock.LockStoreException if this log must not miss a grant and could not note it
     */
    Entry granted(String strategy, Lease lease, Duration waited);

    /** Writes what is still to be written, and keeps nothing from then on. */
    @Override
    default void close() {}

    /**
     * The life of one grant. Of {@link #released()} and {@link #lost()} the first call counts, and of
     * {@link #completed()}; further ones are harmless. No method throws: a grant is not undone because its history could not be written.
     */
    interface Entry {
        /** An entry that keeps nothing. */
        Entry NONE = new Entry() {};

        /** A transaction that the grant guarded has committed. */
        default void completed() {}

        /** It was given back. */
        default void released() {}

        /** It was lost. */
        default void lost() {}
    }
}
