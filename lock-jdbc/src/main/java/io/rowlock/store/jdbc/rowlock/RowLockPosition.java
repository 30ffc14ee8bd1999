package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TimeLimit;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A position in the server's own queue for the gate. The statement that waits there runs on a thread of its own, so that the
 * waiter can be interrupted. It keeps the gate while the barrier is closed. A position that is lost, with its session or with the
 * key's rows, is replaced by one at the end of the queue.
 */
final class RowLockPosition implements QueuePosition {
    /** The time for which the barrier usually stays closed: until a transaction that was about to commit has done so. */
    private static final long BARRIER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The pause when there is nothing to wait for. */
    private static final long USELESS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The time in which a server usually ends a session. */
    private static final long END_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * In seconds, for how long the server keeps the gate for a waiter that does not answer. The waiter itself asks so often on another
     * connection, since the answer of this one may be lost.
     */
    private static final int SILENCE = 5;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(RowLockConnection.LONGEST_WAIT);
    private static final Duration SLACK = Duration.ofSeconds(5);

    private final RowLockStore store;
    private final LeaseRequest request;

    /** Without a transaction until the statement runs; null before, and while the position is lost. */
    private @Nullable RowLockConnection connection;

    /** True if the last attempt at the gate had no connection to pass the barrier with. */
    private boolean hasNoConnection;

    /** The statement that waits, from when it is sent: true with the gate, false if the position is lost. */
    private @Nullable CompletableFuture<Boolean> gate;

    private boolean over;

    /**
     * @param store one of whose positions it is until it is closed
     */
    RowLockPosition(RowLockStore store, LeaseRequest request) {
        this.store = store;
        this.request = request;
    }

    @Override
    public void await(Duration atMost) throws InterruptedException {
        boolean atGate = atGate() != null;
        CompletableFuture<Boolean> waiting = atGate ? null : joinQueue();
        if (waiting == null) {
            TimeUnit.NANOSECONDS.sleep(Math.min(atMost.toNanos(), atGate ? BARRIER_NANOS : USELESS_NANOS));
            return;
        }
        try {
            boolean unused =
                    waiting.get(Math.min(atMost.toNanos(), TimeUnit.SECONDS.toNanos(SILENCE)), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // still in the queue
        }
    }

    /** @return null if there is no connection for it, or the store is closed */
    private @Nullable CompletableFuture<Boolean> joinQueue() {
        try {
            if (gate == null) {
                RowLockConnection joining = store.open();
                connection = joining;
                gate = CompletableFuture.supplyAsync(() -> reachesGate(joining), store.threads)
                        .exceptionally(e -> false);
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) { // closed, or no memory for a thread
            giveUp();
        } catch (LockStoreException e) {
            // the next attempt tells
        }
        return gate;
    }

    /** Waits in the queue. Returns false if it took as long as the server lets it, or the session has ended, or the key's rows are gone. */
    private boolean reachesGate(RowLockConnection joining) {
        try {
            joining.within(LONGEST_WAIT.plus(SLACK));
            joining.endAfterSilenceOf(Math.min(SILENCE, LockDatabase.wholeSeconds(request.ttl())));
            return joining.queue(request.mode(), JdbcText.key(request.key()));
        } catch (SQLException e) {
            return false;
        }
    }

    /** Returns the connection if it has the gate, or null. Gives up a position that is lost. */
    private @Nullable RowLockConnection atGate() {
        if (gate == null || !gate.isDone()) {
            return null;
        }
        if (!gate.getNow(false)) {
            giveUp(); // if the key's rows are gone, an attempt creates them
        }
        return connection;
    }

    /**
     * While the statement waits, another connection asks: a server that does not answer any more lets it wait without an end,
     * and such a key is not busy. Nor is a key that the server has granted to this position in an answer that was lost, so the last
     * attempt leaves the queue first.
     */
    @Override
    public Attempt tryAcquire(LeaseRequest current) {
        TimeLimit limit = TimeLimit.after(current.timeLimit(), store.queryTimeout());
        RowLockConnection held = atGate();
        if (held == null) {
            if (gate != null && current.timeLimit().isNegative()) {
                leaveBeforeTheLastAttempt();
            }
            return store.tryAcquire(current, limit);
        }
        try {
            Optional<Attempt> attempt = store.attempts.acquire(held, current, limit);
            hasNoConnection = false;
            if (attempt.isEmpty()) {
                giveUp();
            } else if (attempt.get() instanceof Attempt.Granted) {
                forget();
            }
            return attempt.orElseGet(() -> new Attempt.Busy(Optional.empty()));
        } catch (NoConnectionException e) { // the one that is to pass the barrier; the gate is kept for another attempt
            if (hasNoConnection) {
                giveUp();
            }
            hasNoConnection = !hasNoConnection;
            throw e;
        } catch (LockStoreException e) { // the server has ended the session, or is down
            giveUp();
            return store.tryAcquire(current, limit);
        }
    }

    private void leaveBeforeTheLastAttempt() {
        RowLockConnection left = forget();
        if (left != null) {
            left.discard();
            try {
                store.attempts.endSession(left.kill());
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
                store.positions.release();
            }
            return;
        }
        try {
            Future<?> unused = store.threads.submit(() -> {
                leaveQueue(left);
                store.attempts.endSession(left.kill());
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
            store.positions.release();
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
        return former;
    }
}
