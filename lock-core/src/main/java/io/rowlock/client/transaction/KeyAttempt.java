package io.rowlock.client.transaction;

import io.rowlock.LockEvent;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.client.event.EventFactory;
import io.rowlock.client.event.LockInstrumentation.Holding;
import io.rowlock.client.event.LockInstrumentation.Waiting;
import io.rowlock.client.event.ObservedLock;
import io.rowlock.client.event.Observers;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.transaction.LocalTurns.Turn;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.TransactionLocks;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One key on its way to a lock: what is observed and logged of that, and the turn its thread has. Used by one thread. */
final class KeyAttempt {
    private final ObservedLock lock;
    private final String key;
    private final String owner;
    private final Observers observers;
    private final LockLog log;
    private final Waiting waiting;
    private boolean over;
    private @Nullable Turn turn;

    /** @param key the key as the table has it */
    KeyAttempt(ObservedLock lock, String key, String owner, Observers observers, LockLog log) {
        this.lock = lock;
        this.key = key;
        this.owner = owner;
        this.observers = observers;
        this.log = log;
        this.waiting = observers.instrumentation().waiting(lock);
    }

    String name() {
        return lock.key();
    }

    /** What settings know the lock by. */
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
        Duration waited = deadline.waited();
        LockLog.Entry entry =
                log.granted(TransactionLocks.STRATEGY, new Lease(key, lock.mode(), 0, 0, owner), 0, waited);
        end(() -> waiting.acquired(0));
        Holding holding = observers.instrumentation().holding(lock, 0);
        observers.events().notify(event(LockEvent.Type.ACQUIRED, owner, waited, Duration.ZERO));
        long since = observers.ticker().nanoTime();
        scope.onEnd(committed -> {
            if (committed) {
                entry.completed();
            }
            entry.released();
            holding.released();
            Duration held = Duration.ofNanos(observers.ticker().nanoTime() - since);
            observers.events().notify(event(LockEvent.Type.RELEASED, owner, waited, held));
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
        end(waiting::busy);
        observers.events().notifyLater(event(LockEvent.Type.BUSY, "", refusal.waited(), Duration.ZERO), List.of());
        return refusal;
    }

    LockInterruptedException interrupted(Deadline deadline, InterruptedException cause) {
        end(waiting::interrupted);
        Thread.currentThread().interrupt();
        return new LockInterruptedException(name(), deadline.waited(), cause);
    }

    /** It came to no end of its own. */
    void abandoned(Throwable failure) {
        end(() -> waiting.failed(failure));
    }

    private void end(Runnable report) {
        if (!over) {
            over = true;
            report.run();
        }
    }

    private LockEvent event(LockEvent.Type type, String by, Duration waited, Duration held) {
        return EventFactory.inTransaction(type, lock, by, waited, held);
    }
}
