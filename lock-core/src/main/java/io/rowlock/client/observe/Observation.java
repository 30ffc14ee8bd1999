package io.rowlock.client.observe;

import static io.rowlock.client.observe.Observers.safely;

import io.rowlock.LockEvent;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.client.observe.LockInstrumentation.Measurement;
import io.rowlock.client.observe.LockInstrumentation.Outcome;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Reports one thread's wait for one key, which ends once, and then the lock it gets. Of a lock one end is reported; only {@link #released} may
 * follow {@link #unanswered}. Thread-safe.
 */
public final class Observation {
    private final Observers observers;
    private final ObservedLock lock;
    private final Measurement waiting;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private volatile LockLog.Entry entry = LockLog.Entry.NONE;
    private volatile Measurement holding = Measurement.NONE;
    private volatile long since;
    private volatile Duration waited = Duration.ZERO;

    private enum Stage {
        WAITING,
        HELD,
        UNANSWERED,
        OVER
    }

    /** Begins it: the calling thread asks for a lock that it does not hold. */
    public Observation(Observers observers, ObservedLock lock) {
        this.observers = observers;
        this.lock = lock;
        this.since = observers.ticker().nanoTime();
        this.waiting = safely(() -> observers.meters.waiting(lock), Measurement.NONE);
    }

    // ---- the wait

    /** Reports that it ended without the lock. Ignored if it has ended. */
    public void refused(Throwable why) {
        if (!stage.compareAndSet(Stage.WAITING, Stage.OVER)) {
            return;
        }
        if (why instanceof LockInterruptedException) {
            safely(() -> waiting.ended(Outcome.INTERRUPTED, 0));
        } else if (why instanceof LockNotAcquiredException busy) {
            safely(() -> waiting.ended(Outcome.BUSY, 0));
            String holder = busy.holder().orElse("");
            observers.notify(lock.event(LockEvent.Type.BUSY, lock.mode(), holder, 0, busy.waited(), Duration.ZERO));
        } else {
            safely(() -> waiting.failed(why));
        }
    }

    /**
     * Reports that the thread has a lease, which ends the wait.
     *
     * @param lease in the mode in which the thread holds it
     */
    public void acquired(Lease lease, long token, Duration waitedFor) {
        since = observers.ticker().nanoTime();
        waited = waitedFor;
        entry = logged(lease, token, waitedFor);
        holding = safely(() -> observers.meters.holding(lock, token), Measurement.NONE);
        stage.set(Stage.HELD);
        safely(() -> waiting.ended(Outcome.ACQUIRED, token));
        observers.notify(lock.event(LockEvent.Type.ACQUIRED, lock.mode(), lease.owner(), token, waited, age()));
    }

    private LockLog.Entry logged(Lease lease, long token, Duration waitedFor) {
        return safely(() -> observers.log.granted(lock.strategy(), lease, token, waitedFor), LockLog.Entry.NONE);
    }

    // ---- the lock

    /** Returns how long ago it was granted. */
    public Duration age() {
        return Duration.ofNanos(observers.ticker().nanoTime() - since);
    }

    /** Returns how long the thread waited for it. */
    public Duration waited() {
        return waited;
    }

    /** Reports that a transaction under it has committed. */
    public void completed() {
        safely(entry::completed);
    }

    /** Reports that it is shared from now on, under another lease. */
    public void downgraded(Lease shared, long token) {
        safely(entry::released);
        entry = logged(shared, token, Duration.ZERO);
    }

    /** @param mode the mode in which the thread held the lease at last */
    public void released(Lease last, long token, LockMode mode) {
        Stage before = stage.getAndSet(Stage.OVER);
        if (before != Stage.OVER) {
            safely(entry::released);
            if (before == Stage.HELD) { // one without an answer has been measured
                safely(() -> holding.ended(Outcome.RELEASED, 0));
            }
            observers.notify(lock.event(LockEvent.Type.RELEASED, mode, last.owner(), token, waited, age()));
        }
    }

    public void lost() {
        Stage before = stage.getAndSet(Stage.OVER);
        if (before != Stage.OVER) {
            safely(entry::lost);
            if (before == Stage.HELD) {
                safely(() -> holding.ended(Outcome.LOST, 0));
            }
        }
    }

    /** Reports that it is released, but that the database did not answer. */
    public void unanswered(Throwable failure) {
        if (stage.compareAndSet(Stage.HELD, Stage.UNANSWERED)) {
            safely(() -> holding.failed(failure));
        }
    }
}
