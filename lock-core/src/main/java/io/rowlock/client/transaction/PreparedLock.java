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
 * A request that is to be the first thing its transaction does: the thread is the first in this process, and the rows of
 * the keys exist, before the transaction begins and takes a connection. Used by one thread.
 */
public final class PreparedLock implements AutoCloseable {
    private final TransactionLockAcquirer acquirer;
    private final LockRequest request;
    private final Deadline deadline;
    private final List<Attempt> attempts = new ArrayList<>();

    /** Each lets the next thread of this process have a key that the transaction has not locked yet, in their order. */
    private final Queue<Runnable> exits = new ArrayDeque<>();

    private @Nullable RuntimeException failure;

    /** True if a row is missing. The look for it may have locked the gap in which it belongs, so the transaction has to end first. */
    boolean missesRow;

    PreparedLock(TransactionLockAcquirer acquirer, LockRequest request, Deadline deadline) {
        this.acquirer = acquirer;
        this.request = request;
        this.deadline = deadline;
    }

    /** Waits until the calling thread is the first in the queue of each key, and creates the rows that are missing. */
    PreparedLock prepared() {
        try {
            for (String name : request.keys()) {
                Attempt attempt = acquirer.attempt(request, name);
                attempts.add(attempt);
                exits.add(enter(attempt));
                acquirer.locks.create(attempt.key());
            }
            return this;
        } catch (RuntimeException | Error e) {
            end(e);
            throw e;
        }
    }

    private Runnable enter(Attempt attempt) {
        AtomicReference<@Nullable Runnable> exit = new AtomicReference<>();
        try {
            acquirer.inFlight.await(() -> exit.set(acquirer.queues.await(attempt.key(), deadline.nanosLeft())));
        } catch (InterruptedException e) {
            throw deadline.interrupted(attempt.lock().key(), e);
        }
        Runnable own = exit.get();
        if (own == null) {
            acquirer.inFlight.requireOpen();
            throw new LockNotAcquiredException(attempt.lock().key(), deadline.waited(), null);
        }
        return own;
    }

    /**
     * Acquires the lock, as the first statement of a transaction that has just begun on the calling thread.
     *
     * @return the lock
     * @throws LockNotAcquiredException if another transaction had it until the wait time was over
     * @throws IllegalStateException if the transaction is not one that can have the lock
     */
    public HeldLock acquire() {
        try {
            TransactionScope scope = acquirer.scope(request);
            for (Attempt attempt : attempts) {
                acquirer.acquire(scope, attempt, deadline, this);
                Runnable exit = exits.element();
                if (request.mode() == LockMode.EXCLUSIVE) {
                    scope.onEnd(committed -> exit.run()); // it lasts as long as the transaction
                } else {
                    exit.run(); // the next thread may have it at once
                }
                exits.remove(); // after an error this is closed, which runs it
            }
            return new TransactionLock(request.keys(), request.mode(), scope);
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * Returns true if an exception came from {@link #acquire}, because the lock was busy, and not from what ran under the lock.
     *
     * @param thrown what was thrown
     */
    public boolean isRefusal(Throwable thrown) {
        return thrown == failure && thrown instanceof LockNotAcquiredException;
    }

    /**
     * Returns true if {@link #acquire} found a row missing, so that the transaction was rolled back before anything ran: to be prepared
     * and tried again.
     *
     * @param thrown what was thrown
     */
    public boolean isToBeRepeated(Throwable thrown) {
        return thrown == failure && missesRow;
    }

    /** Lets other threads have the keys that no transaction keeps. */
    @Override
    public void close() {
        if (!exits.isEmpty()) {
            end(failure == null ? new IllegalStateException("The transaction did not begin") : failure);
        }
    }

    private void end(Throwable why) {
        exits.forEach(Runnable::run);
        attempts.forEach(attempt -> attempt.observation().refused(why)); // last, as it may call listeners
    }
}
