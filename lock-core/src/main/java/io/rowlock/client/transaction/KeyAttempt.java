package io.rowlock.client.transaction;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.client.event.Observation;
import io.rowlock.client.event.ObservedLock;
import io.rowlock.client.event.Observers;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.transaction.LocalTurns.Turn;
import io.rowlock.store.Lease;
import org.jspecify.annotations.Nullable;

/** A key on its way to a lock: the reports of that, and the turn its thread has. Used by one thread. */
final class KeyAttempt {
    private final ObservedLock lock;
    private final String key;
    private final String owner;
    private final Observation observation;
    private boolean over;
    private @Nullable Turn turn;

    /** @param key the key as the table has it */
    KeyAttempt(ObservedLock lock, String key, String owner, Observers observers) {
        this.lock = lock;
        this.key = key;
        this.owner = owner;
        this.observation = new Observation(observers, lock);
    }

    String name() {
        return lock.key();
    }

    /** Returns what settings know the lock by. */
    String staticName() {
        return lock.name();
    }

    String key() {
        return key;
    }

    void hasTurn(Turn own) {
        turn = own;
    }

    /** Gives the turn to the next thread, if there is one that has not been given away. */
    void endTurn() {
        if (turn != null) {
            turn.end();
        }
    }

    /** The transaction has the lock; of a shared one, the next thread may have the turn at once. */
    void granted(TransactionScope scope, Deadline deadline) {
        Lease lease = new Lease(key, lock.mode(), 0, 0, owner);
        observation.granted(lease, 0, deadline.waited());
        over = true;
        observation.acquired(lease, 0);
        scope.onEnd(committed -> {
            if (committed) {
                observation.completed();
            }
            observation.released(lease, 0, lock.mode());
        });
    }

    /** Its thread's turn lasts as long as the transaction. */
    void keepTurn(TransactionScope scope) {
        Turn kept = turn;
        if (kept != null) {
            scope.onEnd(committed -> kept.end());
            turn = null;
        }
    }

    LockNotAcquiredException busy(Deadline deadline) {
        return refused(new LockNotAcquiredException(name(), deadline.waited(), null));
    }

    LockNotAcquiredException rolledBack(Deadline deadline) {
        return refused(
                LockNotAcquiredException.inTransaction(
                        name(),
                        deadline.waited(),
                        "the server rolled the transaction back, because it waited for a transaction that waited for it, or for too long"));
    }

    LockNotAcquiredException removed(Deadline deadline) {
        return refused(LockNotAcquiredException.inTransaction(
                name(), deadline.waited(), "its row was removed while the transaction waited for it"));
    }

    private LockNotAcquiredException refused(LockNotAcquiredException refusal) {
        end(() -> observation.busy("", refusal.waited()));
        return refusal;
    }

    LockInterruptedException interrupted(Deadline deadline, InterruptedException cause) {
        end(observation::interrupted);
        Thread.currentThread().interrupt();
        return new LockInterruptedException(name(), deadline.waited(), cause);
    }

    /** Notes that it came to no end of its own. */
    void abandoned(Throwable failure) {
        end(() -> observation.failed(failure));
    }

    private void end(Runnable report) {
        if (!over) {
            over = true;
            report.run();
        }
    }
}
