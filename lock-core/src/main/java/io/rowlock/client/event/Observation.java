package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.client.event.LockObserver.Granted;
import io.rowlock.client.event.LockObserver.Hold;
import io.rowlock.client.event.LockObserver.Wait;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Lease;
import java.time.Duration;

/** What is told of one thread's wait for one key, and then of the lock it gets. Thread-safe. */
public final class Observation {
    private final ResolvedRequest request;
    private final Ticker ticker;
    private final Wait wait;
    private volatile Hold hold = Hold.NONE;
    private volatile long since;
    private volatile Duration waited = Duration.ZERO;

    /** Begins it: the calling thread asks for the key. */
    public Observation(Observers observers, ResolvedRequest request) {
        this.request = request;
        this.ticker = observers.ticker();
        this.since = ticker.nanoTime();
        this.wait = observers.asking(ObservedLock.of(request));
    }

    // ---- the wait

    /** @param holder one of the owners that had the key, or empty if none is known */
    public void busy(String holder, Duration waitedFor) {
        wait.busy(request.event(LockEvent.Type.BUSY, request.mode(), holder, 0, waitedFor, Duration.ZERO));
    }

    public void interrupted() {
        wait.interrupted();
    }

    public void failed(Throwable failure) {
        wait.failed(failure);
    }

    /** The thread has a lease; it may not use it yet. */
    public void granted(Lease lease, long token, Duration waitedFor) {
        since = ticker.nanoTime();
        waited = waitedFor;
        hold = wait.granted(new Granted(lease, token, waitedFor));
    }

    /** The thread has the lock. */
    public void acquired(Lease lease, long token) {
        hold.acquired(event(LockEvent.Type.ACQUIRED, lease, token, request.mode()));
    }

    // ---- the lock

    /** Returns how long ago it was granted. */
    public Duration age() {
        return Duration.ofNanos(ticker.nanoTime() - since);
    }

    /** A transaction under it has committed. */
    public void completed() {
        hold.completed();
    }

    /** It is shared from now on, under another lease. */
    public void downgraded(Lease shared, long token) {
        hold.downgraded(new Granted(shared, token, Duration.ZERO));
    }

    /** @param mode the mode in which the thread held the lease at last */
    public void released(Lease last, long token, LockMode mode) {
        hold.released(event(LockEvent.Type.RELEASED, last, token, mode));
    }

    public void lost() {
        hold.lost();
    }

    /** It is released, but the database did not answer: {@link #released} may follow. */
    public void unanswered(Throwable failure) {
        hold.unanswered(failure);
    }

    private LockEvent event(LockEvent.Type type, Lease lease, long token, LockMode mode) {
        return request.event(type, mode, lease.owner(), token, waited, age());
    }
}
