package io.rowlock.client.lease;

import io.rowlock.LockEvent;
import io.rowlock.Printable;
import io.rowlock.client.event.EventFactory;
import io.rowlock.client.event.Observers;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is notified of what happens to one lease. No event tells of a lease before it is handed out. Thread-safe: {@code this}
 * guards the fields; listeners are called without it.
 */
final class LeaseListeners {
    private static final Logger log = LoggerFactory.getLogger(LeaseListeners.class);

    private final Lease lease;
    private final ResolvedRequest request;
    private final Observers observers;
    private final List<Consumer<LockEvent>> lossListeners = new ArrayList<>();
    private final List<Consumer<LockEvent>> firstLossListeners = new ArrayList<>();
    private boolean handedOut;
    private EventFactory events;

    /** @param grantedAt when the statement was sent that took the lease */
    LeaseListeners(Lease lease, ResolvedRequest request, Observers observers, long grantedAt) {
        this.lease = lease;
        this.request = request;
        this.observers = observers;
        this.events = new EventFactory(request, observers.ticker(), grantedAt, Duration.ZERO);
    }

    /** The lease is handed out, after that long. */
    synchronized void handedOut(Duration waited) {
        handedOut = true;
        events = new EventFactory(request, observers.ticker(), events.since(), waited);
    }

    private synchronized boolean isHandedOut() {
        return handedOut;
    }

    private synchronized EventFactory events() {
        return events;
    }

    /** Calls {@code action} on a thread for events when the lease is lost. */
    synchronized void onLost(Consumer<LockEvent> action) {
        lossListeners.add(action);
    }

    /** Calls {@code action} before all others, on the thread that finds the loss. */
    synchronized void onLostFirst(Consumer<LockEvent> action) {
        firstLossListeners.add(action);
    }

    private synchronized List<Consumer<LockEvent>> lossListeners() {
        return List.copyOf(lossListeners);
    }

    private synchronized List<Consumer<LockEvent>> firstLossListeners() {
        return List.copyOf(firstLossListeners);
    }

    /** The other lease replaces this one: its loss is what these listeners are notified of. */
    void moveTo(LeaseListeners other) {
        lossListeners().forEach(other::onLost);
        firstLossListeners().forEach(other::onLostFirst);
    }

    /** @param token the token of the lease's latest grant, here and below */
    void atRisk(long token, String why) {
        log.warn("The lock \"{}\" (token {}) is at risk: {}", Printable.of(request.name()), token, why);
        if (isHandedOut()) {
            observers.instrumentation().atRisk(request);
            observers.events().notifyLater(events().atRisk(lease, token), List.of());
        }
    }

    void lost(long token, String because) {
        log.warn("The lock \"{}\" (token {}) is lost: {}", Printable.of(request.name()), token, because);
        if (isHandedOut()) {
            LockEvent event = lossEvent(token);
            firstLossListeners().forEach(action -> action.accept(event));
            observers.instrumentation().lost(request);
            observers.events().notifyLater(event, lossListeners());
        }
    }

    LockEvent lossEvent(long token) {
        return events().lost(lease, token);
    }

    /** It was lost before {@code action} could be added. */
    void alreadyLost(long token, Consumer<LockEvent> action) {
        observers.events().callLater(lossEvent(token), action);
    }

    /** A commit was refused because of this lease. */
    void commitRefused() {
        observers.instrumentation().fenceRejected(request);
    }

    /** The lease was taken over from an owner that had let it expire. */
    void tookOver(ExpiredLease former) {
        log.warn(
                "The lock \"{}\" (token {}) was not released by {}, and has run out",
                Printable.of(request.name()),
                former.lease().fence(),
                Printable.of(former.lease().owner()));
        observers.events().notifyLater(events().expired(former), List.of());
    }
}
