package io.rowlock.store.jdbc.log;

import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A row of the lock log while its grant lives. Keeps readings of the process's clock; the statement that writes them
 * counts back from the server's time. Thread-safe: {@code this} guards the fields.
 */
final class LogEntry implements LockLog.Entry {
    /** The life of a grant, as the table spells it. EXPIRED is set by other processes. */
    enum Status {
        HELD,
        COMPLETED,
        RELEASED,
        LOST
    }

    /** A lock around many transactions does not have each commit written: its end tells the last. */
    private static final long NEXT_COMMIT_NANOS = 5_000_000_000L;

    final Grant grant;
    private final LongSupplier nanoTime;
    private final Consumer<LogEntry> onChange;
    private final long granted;

    private Status status = Status.HELD;

    /** Null if it is in the table: written again, it would be later by what that statement took longer to arrive. */
    private @Nullable Long completed;

    /** As it was at the last {@link #snapshot}. */
    private @Nullable Long completedThen;

    private @Nullable Long ended;
    private boolean queued;
    private long id;

    /**
     * The contents of a row that stay.
     *
     * @param token the grant's own, which need not be the fence of its lease
     */
    record Grant(String strategy, Lease lease, long token, Duration waited) {}

    /**
     * @param onChange what has the row written; called once until {@link #snapshot} or {@link #dropped} is
     */
    LogEntry(Grant grant, LongSupplier nanoTime, Consumer<LogEntry> onChange) {
        this.grant = grant;
        this.nanoTime = nanoTime;
        this.onChange = onChange;
        this.granted = nanoTime.getAsLong();
    }

    /**
     * The contents of a row that change, with times in microseconds ago.
     *
     * @param id 0 if it is new
     * @param completedAgo null if there was no commit, or none since the last one that is in the table
     */
    record Row(
            LogEntry source,
            long id,
            Status status,
            long grantedAgo,
            @Nullable Long completedAgo,
            @Nullable Long endedAgo) {
        /** Returns false if it is final: released, unlike lost, which a commit may follow. */
        boolean mayChange() {
            return status != Status.RELEASED;
        }
    }

    /** Returns what is to be written now. */
    synchronized Row snapshot() {
        queued = false;
        completedThen = completed;
        long now = nanoTime.getAsLong();
        return new Row(this, id, status, (now - granted) / 1_000, ago(now, completed), ago(now, ended));
    }

    private static @Nullable Long ago(long now, @Nullable Long then) {
        return then == null ? null : Long.valueOf((now - then) / 1_000);
    }

    /** Notes that it was not accepted for writing; the next change may be. */
    synchronized void dropped() {
        queued = false;
    }

    /** The row is in the table, as the last {@link #snapshot} had it. */
    synchronized void written(long rowId) {
        id = rowId;
        completed = Objects.equals(completed, completedThen) ? null : completed;
    }

    @Override
    public void completed() {
        change(() -> {
            completed = nanoTime.getAsLong();
            boolean isFirst = status == Status.HELD;
            status = ended == null ? Status.COMPLETED : status;
            return status != Status.RELEASED
                    && (isFirst || completedThen == null || completed - completedThen >= NEXT_COMMIT_NANOS);
        });
    }

    @Override
    public void released() {
        end(Status.RELEASED);
    }

    @Override
    public void lost() {
        end(Status.LOST);
    }

    private void end(Status last) {
        change(() -> {
            if (ended != null) {
                return false;
            }
            ended = nanoTime.getAsLong();
            status = last;
            return true;
        });
    }

    /** Writes the row for the first time. */
    void begin() {
        change(() -> true);
    }

    /** @param how changes it, unless there is nothing to change */
    private void change(BooleanSupplier how) {
        synchronized (this) {
            if (!how.getAsBoolean() || queued) {
                return;
            }
            queued = true;
        }
        onChange.accept(this);
    }
}
