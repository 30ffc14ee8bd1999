package io.rowlock.client.transaction;

import io.rowlock.HeldLock;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.request.Deadline;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that is to be the first thing its transaction does: the thread has its turn in this process, and the rows of
 * the keys exist, before the transaction begins and takes a connection. Used by one thread.
 */
public final class PreparedLock implements AutoCloseable {
    private final TransactionLockAcquirer acquirer;
    private final LockRequest request;
    private final List<TransactionLockAcquirer.Attempt> attempts;
    private final Deadline deadline;
    private @Nullable RuntimeException failure;
    private boolean taken;
    private boolean missesRow;

    PreparedLock(
            TransactionLockAcquirer acquirer,
            LockRequest request,
            List<TransactionLockAcquirer.Attempt> attempts,
            Deadline deadline) {
        this.acquirer = acquirer;
        this.request = request;
        this.attempts = attempts;
        this.deadline = deadline;
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
            HeldLock lock = acquirer.takeFirst(this, request, attempts, deadline);
            taken = true;
            return lock;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /** @return whether {@link #take} has taken the lock */
    public boolean isTaken() {
        return taken;
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

    /** Notes that a row is missing. The look for it may have locked the gap in which it belongs, so the transaction has to end first. */
    void missesRow() {
        missesRow = true;
    }

    /** Ends the turns that no transaction keeps. */
    @Override
    public void close() {
        if (!taken) {
            RuntimeException why =
                    failure == null ? new IllegalStateException("The transaction did not begin") : failure;
            attempts.forEach(attempt -> attempt.end(why));
        }
    }
}
