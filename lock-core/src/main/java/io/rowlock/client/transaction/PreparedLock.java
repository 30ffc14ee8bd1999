package io.rowlock.client.transaction;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.transaction.TransactionLockAcquirer.Attempt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request that is to be the first thing its transaction does: the thread has its turn in this process, and the rows of
 * the keys exist, before the transaction begins and takes a connection. Used by one thread.
 */
public final class PreparedLock implements AutoCloseable {
    private final TransactionLockAcquirer acquirer;
    private final LockRequest request;
    private final Deadline deadline;
    private final List<Attempt> attempts = new ArrayList<>();

    /** The actions that end the turns of the keys that the transaction has not locked yet, in their order. */
    private final Queue<Runnable> turns = new ArrayDeque<>();

    private @Nullable RuntimeException failure;

    /** True if a row is missing. The look for it may have locked the gap in which it belongs, so the transaction has to end first. */
    boolean missesRow;

    PreparedLock(TransactionLockAcquirer acquirer, LockRequest request, Deadline deadline) {
        this.acquirer = acquirer;
        this.request = request;
        this.deadline = deadline;
    }

    /** Waits for the turns of the calling thread, and creates the rows that are missing. */
    PreparedLock prepared() {
        try {
            for (String name : request.keys()) {
                Attempt attempt = acquirer.attempt(request, name);
                attempts.add(attempt);
                turns.add(turn(attempt));
                acquirer.locks.create(attempt.key());
            }
            return this;
        } catch (RuntimeException | Error e) {
            end(e);
            throw e;
        }
    }

    private Runnable turn(Attempt attempt) {
        AtomicReference<@Nullable Runnable> turn = new AtomicReference<>();
        try {
            acquirer.inFlight.await(() -> turn.set(acquirer.turns.await(attempt.key(), deadline.nanosLeft())));
        } catch (InterruptedException e) {
            throw deadline.interrupted(attempt.lock().key(), e);
        }
        Runnable own = turn.get();
        if (own == null) {
            acquirer.inFlight.requireOpen();
            throw new LockNotAcquiredException(attempt.lock().key(), deadline.waited(), null);
        }
        return own;
    }

    /**
     * Takes the lock, as the first statement of a transaction that has just begun on the calling thread.
     *
     * @return the lock
     * @throws LockNotAcquiredException if another transaction had it until the wait time was over
     * @throws IllegalStateException if the transaction is not one that can have the lock
     */
    public HeldLock take() {
        try {
            TransactionScope scope = acquirer.scope(request);
            for (Attempt attempt : attempts) {
                acquirer.take(scope, attempt, deadline, this);
                Runnable turn = turns.element();
                if (request.mode() == LockMode.EXCLUSIVE) {
                    scope.onEnd(committed -> turn.run()); // it lasts as long as the transaction
                } else {
                    turn.run(); // the next thread may have it at once
                }
                turns.remove(); // an error before ends it when this is closed
            }
            return new TransactionLock(request.keys(), request.mode(), scope);
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * Returns true if an exception came from {@link #take}, because the lock was busy, and not from what ran under the lock.
     *
     * @param thrown what was thrown
     */
    public boolean isRefusal(Throwable thrown) {
        return thrown == failure && thrown instanceof LockNotAcquiredException;
    }

    /**
     * Returns true if {@link #take} found a row missing, so that the transaction was rolled back before anything ran: to be prepared
     * and tried again.
     *
     * @param thrown what was thrown
     */
    public boolean isToBeRepeated(Throwable thrown) {
        return thrown == failure && missesRow;
    }

    /** Ends the turns that no transaction keeps. */
    @Override
    public void close() {
        if (!turns.isEmpty()) {
            end(failure == null ? new IllegalStateException("The transaction did not begin") : failure);
        }
    }

    private void end(Throwable why) {
        turns.forEach(Runnable::run);
        attempts.forEach(attempt -> attempt.observation().refused(why)); // last, as it may call listeners
    }
}
