package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A position in the server's own queue for the gate. The statement that waits there runs on a thread of its own, so that the
 * waiter can be interrupted. It keeps the gate while the barrier is closed.
 */
final class RowLockPosition implements QueuePosition {
    /** The time for which the barrier usually stays closed: until a transaction that was about to commit has done so. */
    private static final long BARRIER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The pause when there is nothing left to wait for. */
    private static final long USELESS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(RowLockConnection.LONGEST_WAIT);
    private static final Duration SLACK = Duration.ofSeconds(5);

    private final RowLockStore store;
    private final RowLockAttempts attempts;
    private final RowLockConnection connection;
    private final LeaseRequest request;
    private final Executor threads;
    private final Runnable onEnd;
    private @Nullable FutureTask<Boolean> gate;
    private boolean over;

    /**
     * @param connection without a transaction
     * @param onEnd called when the position is given up or belongs to a lease
     */
    RowLockPosition(
            RowLockStore store,
            RowLockAttempts attempts,
            RowLockConnection connection,
            LeaseRequest request,
            Executor threads,
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
        if (!over && gate == null) {
            joinQueue();
        } else if (isAtGate()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(nanos, BARRIER_NANOS));
            return;
        }
        FutureTask<Boolean> waiting = gate;
        if (over || waiting == null) {
            TimeUnit.NANOSECONDS.sleep(Math.min(nanos, USELESS_NANOS));
            return;
        }
        try {
            if (!waiting.get(nanos, TimeUnit.NANOSECONDS)) {
                giveUp(); // the key's rows are gone; an attempt creates them
            }
        } catch (TimeoutException e) {
            // still in the queue
        } catch (ExecutionException | CancellationException e) {
            waitAgainOrGiveUp(e);
        }
    }

    private void joinQueue() {
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            connection.within(LONGEST_WAIT.plus(SLACK));
            connection.endAfterSilenceOf(RowLockStore.seconds(request.ttl()));
            return connection.queue(request.mode(), JdbcText.key(request.key()));
        });
        try {
            threads.execute(task);
            gate = task;
        } catch (RejectedExecutionException e) {
            giveUp(); // the store is closed
        }
    }

    private boolean isAtGate() {
        return !over && gate != null && gate.isDone();
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

    @Override
    public Attempt tryAcquire(LeaseRequest current) {
        if (over) {
            return store.tryAcquire(current);
        }
        if (!isAtGate()) {
            return new Attempt.Busy(Optional.empty());
        }
        Optional<Attempt> attempt = Optional.empty();
        try {
            attempt = attempts.take(connection, current, store.limit(current));
        } finally {
            if (attempt.isEmpty()) {
                giveUp();
            }
        }
        if (attempt.orElse(null) instanceof Attempt.Granted) {
            over = true;
            onEnd.run();
        }
        return attempt.orElseGet(() -> new Attempt.Busy(Optional.empty()));
    }

    @Override
    public void close() {
        if (over) {
            return;
        }
        FutureTask<Boolean> waiting = gate;
        if (waiting == null || waiting.isDone()) {
            giveUp();
            return;
        }
        over = true;
        try {
            threads.execute(this::leaveQueue);
        } catch (RejectedExecutionException e) {
            leave(); // the store is closed
        }
    }

    private void giveUp() {
        over = true;
        try {
            connection.giveUp(store.queryTimeout());
        } finally {
            onEnd.run();
        }
    }

    private void leaveQueue() {
        leave();
        attempts.endSession(connection.id());
    }

    /** A statement that waits cannot be interrupted, so it ends with its connection. */
    private void leave() {
        try {
            connection.discard();
        } finally {
            onEnd.run();
        }
    }
}
