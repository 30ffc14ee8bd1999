package io.rowlock.client.event;

import io.rowlock.LockMode;
import io.rowlock.client.event.LockInstrumentation.Holding;
import io.rowlock.client.event.LockInstrumentation.Waiting;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What the log, the listeners and the meters are told of one thread's wait for one key and of the lock it gets. Of each wait and
 * of each lock one end is reported. Thread-safe.
 */
public final class Observation {
    private final Observers observers;
    private final ResolvedRequest request;
    private final Waiting waiting;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile Holding holding = Holding.NONE;
    private volatile LockLog.Entry entry = LockLog.Entry.NONE;
    private volatile EventFactory events;

    /** Begins it: the calling thread asks for the key. */
    public Observation(Observers observers, ResolvedRequest request) {
        this.observers = observers;
        this.request = request;
        this.waiting = observers.instrumentation().waiting(request);
        this.events = EventFactory.ofAttempt(request, observers.ticker(), Duration.ZERO);
    }

    // ---- the wait

    public void busy(String holder, Duration waited) {
        waiting.busy();
        observers
                .events()
                .notifyLater(
                        EventFactory.ofAttempt(request, observers.ticker(), waited)
                                .busy(holder),
                        List.of());
    }

    public void interrupted() {
        waiting.interrupted();
    }

    public void failed(Throwable failure) {
        waiting.failed(failure);
    }

    /** The thread has a lease; it may not use it yet. */
    public void granted(Lease lease, long token, Duration waited) {
        events =
                new EventFactory(request, observers.ticker(), observers.ticker().nanoTime(), waited);
        holding = observers.instrumentation().holding(request, token);
        entry = observers.log().granted(request.store().strategy(), lease, token, waited);
    }

    /** The thread has the lock. */
    public void acquired(Lease lease, long token) {
        waiting.acquired(token);
        observers.events().notify(events.acquired(lease, token));
    }

    // ---- the lock

    public Duration age() {
        return events.age();
    }

    /** A transaction under it has committed. */
    public void completed() {
        entry.completed();
    }

    /** It is shared from now on, under another lease. */
    public void downgraded(Lease shared, long token) {
        entry.released();
        entry = observers.log().granted(request.store().strategy(), shared, token, Duration.ZERO);
    }

    public void released(Lease last, long token, LockMode mode) {
        if (over.compareAndSet(false, true)) {
            holding.released();
            entry.released();
            observers.events().notify(events.released(last, token, mode));
        }
    }

    public void lost() {
        if (over.compareAndSet(false, true)) {
            entry.lost();
            holding.lost();
        }
    }

    /** It is released, but the database did not answer: {@link #released} may follow. */
    public void unanswered(Throwable failure) {
        holding.failed(failure);
    }
}
