package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.client.event.LockInstrumentation.RenewalOutcome;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the log, the meters and the listeners of a client, in this order, what happens to its locks; an {@link Observation} reports what
 * happens to one of them. What a log, a meter or a listener throws harms neither the lock nor the others. Called without a guard, on the
 * threads that acquire, renew and release locks. Thread-safe.
 */
public final class Observers implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(Observers.class);

    final LockLog log;
    final LockInstrumentation meters;
    private final Ticker ticker;
    private final EventDispatcher events;

    /**
     * @param ticker the client's clock
     * @param log closed with this
     */
    public Observers(
            Ticker ticker, LockLog log, LockInstrumentation meters, Collection<? extends LockListener> listeners) {
        this.ticker = ticker;
        this.log = log;
        this.meters = meters;
        this.events = new EventDispatcher(listeners);
    }

    public Ticker ticker() {
        return ticker;
    }

    /** Reports one thing to the log or to the meters. */
    static void safely(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException | Error e) {
            logger.warn("An observer of locks failed", e);
        }
    }

    /** Begins something that the log or the meters keep. @return what they keep, or {@code nothing} if they fail */
    static <T> T safely(Supplier<T> begin, T nothing) {
        try {
            return begin.get();
        } catch (RuntimeException | Error e) {
            logger.warn("An observer of locks failed", e);
            return nothing;
        }
    }

    void notify(LockEvent event) {
        safely(() -> events.notify(event));
    }

    void notifyLater(LockEvent event) {
        safely(() -> events.notifyLater(event));
    }

    /** Calls one action on a thread for events. */
    public void callLater(LockEvent event, Consumer<LockEvent> action) {
        events.callLater(event, action);
    }

    /** Reports that the calling thread got a lock from another thread of the process, or joined readers of it. */
    public void handedOn(ObservedLock lock) {
        safely(() -> meters.handedOn(lock));
    }

    /** Reports that a lease will be lost unless its next renewal succeeds; once for each renewal that is missed. */
    public void atRisk(LockEvent event, ObservedLock lock) {
        safely(() -> meters.atRisk(lock));
        notifyLater(event);
    }

    /** Reports the loss of a lease, once. */
    public void lost(LockEvent event, ObservedLock lock) {
        safely(() -> meters.lost(lock));
        notifyLater(event);
    }

    /** Reports that a lease was replaced that had expired in use. */
    public void expired(LockEvent event, Lease former) {
        safely(() -> log.expired(event.strategy(), former));
        notifyLater(event);
    }

    /** Reports the answer to a renewal, or that there was none. */
    public void renewed(String strategy, RenewalOutcome outcome, int leases, Duration took) {
        safely(() -> meters.renewal(strategy, outcome, leases, took));
    }

    /** Reports that a commit was refused, because the lock is lost. */
    public void commitRefused(ObservedLock lock) {
        safely(() -> meters.fenceRejected(lock));
    }

    /** Reports that a thread ended without closing a lock. */
    public void abandoned(ObservedLock lock) {
        safely(() -> meters.abandoned(lock));
    }

    @Override
    public void close() {
        log.close();
        events.close();
    }
}
