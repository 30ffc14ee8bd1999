package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TimeLimit;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A position in the server's own queue for the gate. The statement that waits there runs on a thread of its own, so that the
 * waiter can be interrupted. It keeps the gate while the barrier is closed. A position that is lost, with its session or with the
 * key's rows, is taken anew at the end of the queue.
 */
final class RowLockPosition implements QueuePosition {
    /** The time for which the barrier usually stays closed: until a transaction that was about to commit has done so. */
    private static final long BARRIER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The pause when there is nothing to wait for. */
    private static final long USELESS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The time in which a server usually ends a session. */
    private static final long END_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * In seconds, for how long the server keeps the gate for a waiter that does not answer. The waiter in turn asks so often on another
     * connection, since the answer of this one may be lost.
     */
    private static final int SILENCE = 5;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(RowLockConnection.LONGEST_WAIT);
    private static final Duration SLACK = Duration.ofSeconds(5);

    private final RowLockStore store;
    private final RowLockAttempts attempts;
    private final LeaseRequest request;
    private final ExecutorService threads;
    private final Runnable onEnd;

    /** Without a transaction until the statement runs; null while the position is lost. */
    private @Nullable RowLockConnection connection;

    private @Nullable FutureTask<Boolean> gate;
    private boolean atGate;
    private boolean over;

    /**
     * @param connection without a transaction
     * @param onEnd called when the position is closed or belongs to a lease
     */
    RowLockPosition(
            RowLockStore store,
            RowLockAttempts attempts,
            RowLockConnection connection,
            LeaseRequest request,
            ExecutorService threads,
            Runnable onEnd) {
        this.store = store;
        this.attempts = attempts;
        this.connection = connection;
        this.request = request;
        this.threads = threads;
        this.onEnd = onEnd;
    }

    @Override
    public void await(Duration atMost) throws InterruptedException {
        long nanos = atMost.toNanos();
        if (atGate) {
            TimeUnit.NANOSECONDS.sleep(Math.min(nanos, BARRIER_NANOS));
            return;
        }
        FutureTask<Boolean> waiting = gate == null ? joinQueue() : gate;
        if (waiting == null) {
            TimeUnit.NANOSECONDS.sleep(Math.min(nanos, USELESS_NANOS));
            return;
        }
        read(waiting, Math.min(nanos, TimeUnit.SECONDS.toNanos(SILENCE)));
    }

    private void read(FutureTask<Boolean> waiting, long nanos) throws InterruptedException {
        try {
            if (waiting.get(nanos, TimeUnit.NANOSECONDS)) {
                atGate = true;
            } else {
                giveUp(); // the key's rows are gone; an attempt creates them
            }
        } catch (TimeoutException e) {
            // still in the queue
        } catch (ExecutionException | CancellationException e) {
            waitAgainOrGiveUp(e);
        }
    }

    /** @return null if there is no connection for it, or the store is closed */
    private @Nullable FutureTask<Boolean> joinQueue() {
        try {
            RowLockConnection joining = connection == null ? store.open() : connection;
            connection = joining;
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                joining.within(LONGEST_WAIT.plus(SLACK));
                joining.endAfterSilenceOf(Math.min(SILENCE, RowLockStore.seconds(request.ttl())));
                return joining.queue(request.mode(), JdbcText.key(request.key()));
            });
            threads.execute(task);
            gate = task;
            return task;
        } catch (RejectedExecutionException e) {
            giveUp();
            return null;
        } catch (LockStoreException e) {
            return null; // the next attempt tells
        }
    }

    /** Returns the connection if it has the gate, or null. */
    private @Nullable RowLockConnection atGate() {
        FutureTask<Boolean> waiting = gate;
        if (!atGate && waiting != null && waiting.isDone()) {
            try {
                read(waiting, 0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return atGate ? connection : null;
    }

    /** Only a statement that waited for as long as the server lets it wait is sent again. */
    private void waitAgainOrGiveUp(Exception failure) {
        boolean waitedLong =
                failure.getCause() instanceof SQLException error && SqlFailure.of(error) == SqlFailure.ROW_LOCKED;
        if (waitedLong) {
            gate = null;
        } else {
            giveUp();
        }
    }

    /**
     * While the statement waits, another connection asks: a server that does not answer any more lets it wait without an end,
     * and such a key is not busy. Nor is a key that the server has granted to this position in an answer that was lost, so the last
     * attempt leaves the queue first.
     */
    @Override
    public Attempt tryAcquire(LeaseRequest current) {
        TimeLimit limit = store.limit(current);
        RowLockConnection held = atGate();
        if (held == null) {
            if (gate != null && current.timeLimit().isNegative()) {
                leaveBeforeTheLastAttempt();
            }
            return store.tryAcquire(current, limit);
        }
        Optional<Attempt> attempt = Optional.empty();
        try {
            attempt = attempts.take(held, current, limit);
        } catch (LockStoreException e) { // the server has ended the session, or is down
            giveUp();
            return store.tryAcquire(current, limit);
        } finally {
            if (attempt.isEmpty()) {
                giveUp();
            }
        }
        if (attempt.orElse(null) instanceof Attempt.Granted) {
            forget();
        }
        return attempt.orElseGet(() -> new Attempt.Busy(Optional.empty()));
    }

    private void leaveBeforeTheLastAttempt() {
        RowLockConnection left = forget();
        if (left != null) {
            left.discard();
            try {
                attempts.endSession(left.kill());
                LockSupport.parkNanos(END_NANOS);
            } catch (NoConnectionException e) {
                // the server ends it a little later
            }
        }
    }

    @Override
    public void close() {
        if (over) {
            return;
        }
        over = true;
        RowLockConnection left = connection;
        if (left == null || gate == null || gate.isDone()) {
            try {
                giveUp();
            } finally {
                onEnd.run();
            }
            return;
        }
        try {
            Future<?> unused = threads.submit(() -> {
                leaveQueue(left);
                attempts.endSession(left.kill());
            });
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            leaveQueue(left); // the store is closed, or there is no memory for a thread
        }
    }

    /** A statement that waits cannot be interrupted, so it ends with its connection. */
    private void leaveQueue(RowLockConnection left) {
        try {
            left.discard();
        } finally {
            onEnd.run();
        }
    }

    private void giveUp() {
        RowLockConnection lost = forget();
        if (lost != null) {
            lost.giveUp(store.queryTimeout());
        }
    }

    private @Nullable RowLockConnection forget() {
        RowLockConnection former = connection;
        connection = null;
        gate = null;
        atGate = false;
        return former;
    }
}
