package io.rowlock.store.jdbc.lease;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Backoff;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.lease.NamedLocks.QueueName;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A position in the queue of a key: a connection that waits for a named lock, gets it and releases it. The connection belongs to
 * a worker of the {@link NamedLocks}, because a statement cannot be interrupted. The waiter directs the worker, and borrows the
 * connection to acquire, as does the holder to release.
 *
 * <p>Thread-safe: {@code this} guards the fields of both; no statement runs under it.
 */
final class NamedLockPosition implements QueuePosition {
    private static final Duration LONGEST = Duration.ofHours(1);

    /** A wait that is over by itself in that time need not be broken off. */
    private static final long SOON = TimeUnit.SECONDS.toNanos(2);

    /** A missed wake-up, a dead connection or an abandoned queue costs no more than this. */
    private static final Duration LONGEST_WITHOUT_A_LOOK = Duration.ofSeconds(2);

    /** A shorter wait is no wait for another process. */
    private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(1);

    /** A connection that has answered so lately is in order, as pools see it. */
    private static final long FRESH = TimeUnit.MILLISECONDS.toNanos(500);

    private enum Stage {
        /** Others are ahead of it. */
        WAITING,
        /** The first of the queue: its waiter tries to acquire. */
        FIRST,
        /** A thread other than the worker uses the connection. */
        LENT,
        /** Kept with a lease, so that those behind need not poll. */
        KEPT,
        /** Left, or lost; then the waiter may join again, as the worker is done. */
        OVER
    }

    private final NamedLockQueue queue;
    private final NamedLocks namedLocks;
    private final LeaseRequest request;
    private final QueueName name;
    private final Duration patience;

    private Stage stage = Stage.OVER;
    private @Nullable Thread waiter;
    private @Nullable Connection connection;
    private boolean hasNamedLock;
    private boolean waited;
    private boolean brokenOff;
    private long joined;
    private long first;

    /** The waiter's own: null until it has tried once as the first. */
    private @Nullable Backoff pace;

    NamedLockPosition(NamedLockQueue queue, NamedLocks namedLocks, LeaseRequest request, QueueName name) {
        this.queue = queue;
        this.namedLocks = namedLocks;
        this.request = request;
        this.name = name;
        Duration limited = request.timeLimit().compareTo(LONGEST) > 0 ? LONGEST : request.timeLimit();
        this.patience = Duration.ofSeconds(Math.max(1, limited.plusMillis(999).toSeconds()));
    }

    // ---- the waiter

    /** Joins the queue, for the first time or once more. @return false if there is no position to be had */
    boolean join() {
        synchronized (this) {
            stage = Stage.WAITING;
            connection = null;
            hasNamedLock = false;
            brokenOff = false;
            joined = System.nanoTime();
        }
        boolean queued = namedLocks.enter(name, this::queueUp, () -> become(Stage.OVER));
        if (!queued) {
            become(Stage.OVER);
        }
        return queued;
    }

    @Override
    public void await(Duration atMost) throws InterruptedException {
        Duration limited = atMost.compareTo(LONGEST_WITHOUT_A_LOOK) < 0 ? atMost : LONGEST_WITHOUT_A_LOOK;
        Stage reached = awaitChange(limited);
        if (reached == Stage.OVER) {
            pace = null;
            Backoff.pauseAtRandom(limited);
            boolean unused = join();
        } else if (reached == Stage.FIRST) {
            if (pace == null) {
                pace = new Backoff(); // the first of the queue tries at once
            } else {
                synchronized (this) {
                    waited = true;
                }
                queue.awaitFree(request, pace, limited);
            }
        }
    }

    private Stage awaitChange(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        Stage reached = stageOfWaiter();
        for (long left = atMost.toNanos(); reached == Stage.WAITING && left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            reached = stageOfWaiter();
        }
        return reached;
    }

    private synchronized Stage stageOfWaiter() {
        waiter = Thread.currentThread();
        return stage;
    }

    /** A waiter that has just become the first needs no other connection. One that has been idle since might be dead. */
    @Override
    public Attempt tryAcquire(LeaseRequest attempt) {
        Connection mine = lend();
        Attempt result;
        try {
            result = queue.tryOnce(mine, attempt);
        } finally {
            if (mine != null) {
                giveBack();
            }
        }
        if (result instanceof Attempt.Taken taken && taken.lease().mode() == LockMode.EXCLUSIVE) {
            keepFor(taken.lease());
        } else if (result instanceof Attempt.Granted && request.mode() == LockMode.PERMIT && hasWaited()) {
            queue.contended(request.key()); // a permit is released without a word to the queue
        }
        return result;
    }

    private synchronized @Nullable Connection lend() {
        if (stage != Stage.FIRST || System.nanoTime() - first >= FRESH) {
            return null;
        }
        stage = Stage.LENT;
        return connection;
    }

    private synchronized void giveBack() {
        stage = Stage.FIRST;
    }

    private synchronized void keepFor(Lease lease) {
        if (stage == Stage.FIRST && namedLocks.tryKeep()) {
            stage = Stage.KEPT;
            queue.keep(lease, this);
        }
    }

    @Override
    public void close() {
        Connection waiting = null;
        synchronized (this) {
            if (stage == Stage.WAITING && patience.toNanos() - age() > SOON) {
                waiting = connection;
                brokenOff = waiting != null;
            }
            if (stage == Stage.WAITING || stage == Stage.FIRST) {
                become(Stage.OVER);
            }
        }
        if (waiting != null) {
            namedLocks.breakOff(waiting);
        }
    }

    private long age() {
        return System.nanoTime() - joined;
    }

    // ---- the holder of the lease for which it is kept

    /** Returns whether it waited behind others, or for its key. */
    synchronized boolean hasWaited() {
        return waited;
    }

    /**
     * Leaves the queue with a statement that releases the named lock itself, if it matches a row: the next waiter may try as
     * soon as the statement runs, and waits for its row lock.
     *
     * @param release the statement, whose first parameter is the name of the queue
     * @param row its other parameters
     * @return how many rows matched; empty if the connection was of no use any more, so that nothing was sent
     * @throws SQLException if the outcome of the statement is unknown
     */
    Optional<Integer> leaveWith(String release, Object... row) throws SQLException {
        Connection mine;
        synchronized (this) {
            stage = Stage.LENT;
            mine = Objects.requireNonNull(connection);
        }
        boolean released = false;
        try {
            Optional<Integer> rows = namedLocks.update(mine, name, release, row);
            released = rows.orElse(0) > 0;
            return rows;
        } finally {
            left(released);
        }
    }

    /** Leaves the queue without waiting for that; the lease is gone. */
    void leave() {
        left(false);
    }

    private synchronized void left(boolean released) {
        hasNamedLock = hasNamedLock && !released;
        become(Stage.OVER);
        namedLocks.noLongerKept();
    }

    /** Wakes the worker, which waits for the end, and the waiter. */
    private synchronized void become(Stage next) {
        stage = next;
        notifyAll();
        LockSupport.unpark(waiter);
    }

    // ---- the worker, which has the connection

    /**
     * Waits until this position is the first, and then until it is left.
     *
     * @return whether the connection may be used again: all was answered, and no thread is about to break its wait off
     */
    private boolean queueUp(Connection mine) throws SQLException {
        if (began(mine)) {
            came(namedLocks.getLock(mine, name, patience));
            if (awaitEnd()) {
                namedLocks.releaseLock(mine, name);
            }
        }
        synchronized (this) {
            return !brokenOff;
        }
    }

    /** @return whether it is still to wait */
    private synchronized boolean began(Connection waiting) {
        connection = waiting;
        return stage == Stage.WAITING;
    }

    /** The wait is over, so it cannot be broken off any more. */
    private synchronized void came(boolean isFirst) {
        hasNamedLock = isFirst;
        first = System.nanoTime();
        waited = age() > AT_ONCE;
        if (!isFirst) {
            connection = null;
        } else if (stage == Stage.WAITING) {
            become(Stage.FIRST);
        }
    }

    /** @return whether the named lock is still to be released */
    private synchronized boolean awaitEnd() {
        try {
            while (hasNamedLock && stage != Stage.OVER) {
                wait();
            }
        } catch (InterruptedException e) {
            become(Stage.OVER);
            Thread.currentThread().interrupt();
        }
        return hasNamedLock;
    }
}
