package io.rowlock.store;

import io.rowlock.LockMode;
import io.rowlock.store.inspection.LiveLock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The history of grants: who held which key, since when, and how it ended. Thread-safe. */
public interface LockLog extends AutoCloseable {
    /** A log that keeps nothing. */
    LockLog NONE = (strategy, lease, token, waited) -> Entry.NONE;

    /**
     * A lease was granted to a thread.
     *
     * @param strategy what acquired it
     * @param lease the lease, in the mode in which the thread holds it
     * @param token the token of this grant, greater than the lease's fence if the thread was handed the lease on
     * @param waited how long it was waited for
     * @return where the rest of its life is noted
     */
    Entry granted(String strategy, Lease lease, long token, Duration waited);

    /**
     * The last grants that pass a filter, the latest first. What is still to be written is not among them.
     *
     * @param filter which
     * @return them; empty if this log keeps nothing
     * @throws io.rowlock.LockStoreException if the database could not be asked
     */
    default List<LogRow> find(LogFilter filter) {
        return List.of();
    }

    /**
     * A lease expired before it was released, as the process found that took its key over. What its own process says of its
     * grants replaces what is noted here, be that before or after. Throws nothing.
     *
     * @param strategy what had acquired it
     * @param former the lease
     */
    default void expired(String strategy, Lease former) {}

    /**
     * A lock was ended by force.
     *
     * @param strategy what had acquired it
     * @param lock the lock
     * @param note who did it and why
     * @throws io.rowlock.LockStoreException if it could not be noted
     */
    default void ended(String strategy, LiveLock lock, String note) {}

    /** Writes what is still to be written, and keeps nothing from then on. */
    @Override
    default void close() {}

    /**
     * The life of one grant. Of {@link #released()} and {@link #lost()} the first call counts, of {@link #completed()} the last.
     * No method throws: a grant is not undone because its history could not be written.
     */
    interface Entry {
        /** An entry that keeps nothing. */
        Entry NONE = new Entry() {};

        /** A transaction that the grant guarded has committed. */
        default void completed() {}

        /** The lock was released. */
        default void released() {}

        /** The lock was lost. */
        default void lost() {}
    }

    /**
     * A row of the lock log. Times are the server's.
     *
     * @param key the key without the prefix that was asked for
     * @param strategy what acquired the lock
     * @param mode exclusive or shared
     * @param owner who had it
     * @param token its token
     * @param status how it stands with it, as the table spells it
     * @param acquiredAt when it was granted
     * @param completedAt when the last transaction that it guarded committed, or null
     * @param releasedAt when it ended, or null
     * @param waited how long it was waited for
     * @param note a remark on it, or null
     */
    record LogRow(
            String key,
            String strategy,
            LockMode mode,
            String owner,
            long token,
            String status,
            Instant acquiredAt,
            @Nullable Instant completedAt,
            @Nullable Instant releasedAt,
            Duration waited,
            @Nullable String note) {}

    /**
     * Which rows of the lock log are asked for. A component that is null does not restrict them.
     *
     * @param prefix what their keys begin with, as the table has them; empty for all
     * @param key the key as the table has it
     * @param owner the owner
     * @param from held then, or granted later, by the database's clock
     * @param to granted before then, by the database's clock
     * @param limit at most that many, the latest; positive
     */
    record LogFilter(
            String prefix,
            @Nullable String key,
            @Nullable String owner,
            @Nullable Instant from,
            @Nullable Instant to,
            int limit) {}
}
