package io.rowlock.store.jdbc.lease;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Backoff;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.JdbcText;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A position in the queue of a key: a connection that waits for a named lock, gets it and releases it. The connection belongs to
 * a worker of the {@link NamedLocks}, because a statement cannot be interrupted. The waiter acquires with another one; the holder
 * borrows it to release.
 *
 * <p>The fields are the waiter's; the holder reads them once the position is kept.
 */
final class NamedLockPosition implements QueuePosition {
    /** A position that is of no use any more, as on a primary that was replaced, is not kept for longer. */
    private static final Duration LONGEST = Duration.ofMinutes(3);

    /** A wait that is over by itself in that time need not be broken off. */
    private static final long SOON = TimeUnit.SECONDS.toNanos(2);

    /** A missed wake-up, a dead connection or an abandoned queue costs this, and the time that a look takes. */
    private static final Duration LONGEST_WITHOUT_A_LOOK = Duration.ofSeconds(2);

    /** A shorter wait is no wait for another process. */
    private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(1);

    /** The possible ends of a wait in the server. */
    private enum End {
        /** The first of the queue: its waiter tries to acquire. */
        FIRST,
        /** Left by its waiter. */
        LEFT,
        /** Left by its waiter, while its connection waits on. */
        BROKEN_OFF,
        /** Not the first in time, or without a connection; the worker is done, so the waiter may join again. */
        LOST
    }

    private final NamedLockQueue queue;
    private final NamedLocks namedLocks;
    private final LeaseRequest request;
    private final Duration patience;
    private Stay stay = new Stay();

    /** Belongs to a lease, so that those behind need not poll. */
    private boolean kept;

    /** Null until the waiter has tried once as the first. */
    private @Nullable Backoff pace;

    NamedLockPosition(NamedLockQueue queue, NamedLocks namedLocks, LeaseRequest request) {
        this.queue = queue;
        this.namedLocks = namedLocks;
        this.request = request;
        Duration limited = request.timeLimit().compareTo(LONGEST) > 0 ? LONGEST : request.timeLimit();
        this.patience = Duration.ofSeconds(Math.max(1, limited.plusMillis(999).toSeconds()));
    }

    // ---- the waiter

    /** Joins the queue, for the first time or once more. @return false if there is no position to be had */
    boolean join() {
        Stay joined = new Stay();
        stay = joined;
        kept = false;
        boolean queued = namedLocks.enter(request.key(), joined::queueUp, () -> joined.end.complete(End.LOST));
        return queued || !joined.end.complete(End.LOST);
    }

    @Override
    public void await(Duration atMost) throws InterruptedException {
        Duration limited = atMost.compareTo(LONGEST_WITHOUT_A_LOOK) < 0 ? atMost : LONGEST_WITHOUT_A_LOOK;
        try {
            End reached = stay.end.get(limited.toNanos(), TimeUnit.NANOSECONDS);
            if (reached != End.FIRST || stay.released.isDone()) {
                pace = null;
                Backoff.pauseAtRandom(limited);
                boolean unused = join();
            } else if (pace == null) {
                pace = new Backoff(); // the first of the queue tries at once
            } else {
                stay.waited = true;
                queue.awaitFree(request, pace, limited);
            }
        } catch (TimeoutException | ExecutionException e) {
            // others are ahead of it still
        }
    }

    @Override
    public Attempt tryAcquire(LeaseRequest attempt) {
        Attempt result = queue.store.tryAcquireInQueue(attempt);
        if (result instanceof Attempt.Taken granted && granted.lease().mode() == LockMode.EXCLUSIVE) {
            keepFor(granted.lease());
        } else if (result instanceof Attempt.Granted && request.mode() == LockMode.PERMIT && hasWaited()) {
            queue.contended.add(request.key()); // a permit is released without a word to the queue
        }
        return result;
    }

    private void keepFor(Lease lease) {
        if (!kept && stay.end.getNow(End.LOST) == End.FIRST && namedLocks.keepable.tryAcquire()) {
            kept = true;
            queue.keep(lease, this);
        }
    }

    @Override
    public void close() {
        if (!kept) {
            stay.leave();
        }
    }

    // ---- the holder of the lease for which it is kept

    /** Returns whether it waited behind others, or for its key. */
    boolean hasWaited() {
        return stay.waited;
    }

    /**
     * Leaves the queue with a statement that releases the named lock itself, if it matches a row: the next waiter may try as
     * soon as the statement runs, and waits for its row lock.
     *
     * @return how many rows matched
     * @throws SQLException if it may have failed; the connection may have been of no use any more, so that nothing was sent
     */
    int leaveWith(String release, Object... row) throws SQLException {
        int rows = 0;
        try {
            rows = namedLocks.leave(Objects.requireNonNull(stay.connection), release, row);
            return rows;
        } finally {
            leave(rows > 0);
        }
    }

    /**
     * Leaves the queue without waiting for that.
     *
     * @param released true if a statement has released the named lock
     */
    void leave(boolean released) {
        stay.released.complete(released);
        namedLocks.keepable.release();
    }

    /** A stay in the queue, with a worker. Thread-safe: {@code this} guards the connection; no statement runs under it. */
    private final class Stay {
        private final long joined = System.nanoTime();
        private final CompletableFuture<End> end = new CompletableFuture<>();

        /** Completed when the first of the queue leaves; true if a statement has released the named lock. */
        private final CompletableFuture<Boolean> released = new CompletableFuture<>();

        /** Null unless it waits, or is the first. */
        private volatile @Nullable Connection connection;

        private volatile boolean waited;

        private long age() {
            return System.nanoTime() - joined;
        }

        void leave() {
            Connection waiting = null;
            synchronized (this) {
                boolean isWaiting = connection != null && patience.toNanos() - age() > SOON;
                if (end.complete(isWaiting ? End.BROKEN_OFF : End.LEFT) && isWaiting) {
                    waiting = connection;
                }
            }
            released.complete(false);
            if (waiting != null) {
                namedLocks.breakOff(waiting);
            }
        }

        // ---- the worker

        /**
         * Waits until it is the first, and then until it leaves.
         *
         * @return whether the connection may be used again: all was answered, and no thread is about to break its wait off
         */
        boolean queueUp(Connection mine) throws SQLException {
            if (began(mine)) {
                boolean hasNamedLock = namedLocks.await(mine, queue.awaitSql, request.key(), patience);
                boolean isFirst = came(hasNamedLock);
                if (hasNamedLock && !(isFirst && released.join())) {
                    int unused = namedLocks.leave(mine, queue.leaveSql, (Object) JdbcText.key(request.key()));
                }
            }
            return end.getNow(End.LOST) != End.BROKEN_OFF;
        }

        private synchronized boolean began(Connection waiting) {
            connection = waiting;
            return !end.isDone();
        }

        /** The wait is over, so it cannot be broken off any more. */
        private synchronized boolean came(boolean hasNamedLock) {
            waited = age() > AT_ONCE;
            connection = hasNamedLock ? connection : null;
            return hasNamedLock && end.complete(End.FIRST);
        }
    }
}
