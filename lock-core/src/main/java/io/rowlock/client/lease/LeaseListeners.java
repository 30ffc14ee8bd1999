package io.rowlock.client.lease;

import io.rowlock.LockEvent;
import io.rowlock.Printable;
import io.rowlock.client.LossInterrupts;
import io.rowlock.client.event.EventFactory;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is told of one lease, and to whom. Nobody is told of a lease that was not handed out. Thread-safe. */
final class LeaseListeners {
    private static final Logger log = LoggerFactory.getLogger(LeaseListeners.class);

    private final Lease lease;
    private final LongSupplier token;
    private final ResolvedRequest terms;
    private final LeaseContext context;
    private final List<Consumer<LockEvent>> lostActions = new ArrayList<>();
    private final List<LossInterrupts.Body> bodies = new ArrayList<>();
    private boolean handedOut;
    private EventFactory grant;

    /**
     * @param token the token of its latest grant; asked for under no lock
     * @param grantedAt when the statement was sent that took the lease
     */
    LeaseListeners(Lease lease, LongSupplier token, ResolvedRequest terms, LeaseContext context, long grantedAt) {
        this.lease = lease;
        this.token = token;
        this.terms = terms;
        this.context = context;
        this.grant = new EventFactory(terms, context, grantedAt, Duration.ZERO);
    }

    /** The lease is handed out, after that long. */
    synchronized void handedOut(Duration waited) {
        handedOut = true;
        grant = new EventFactory(terms, context, grant.since(), waited);
    }

    private synchronized boolean isHandedOut() {
        return handedOut;
    }

    /** Calls {@code action} when {@link #lost} is told. */
    synchronized void whenLost(Consumer<LockEvent> action) {
        lostActions.add(action);
    }

    /** Interrupts {@code body} before anybody is told, unless its own thread finds out, which gets an exception. */
    synchronized void interruptWhenLost(LossInterrupts.Body body) {
        bodies.add(body);
    }

    private synchronized List<Consumer<LockEvent>> lostActions() {
        return List.copyOf(lostActions);
    }

    private synchronized List<LossInterrupts.Body> bodies() {
        return List.copyOf(bodies);
    }

    /** Whoever wanted to hear of this one's loss hears of the other's. */
    void moveTo(LeaseListeners other) {
        lostActions().forEach(other::whenLost);
        bodies().forEach(other::interruptWhenLost);
    }

    void atRisk(String why) {
        log.warn("The lock \"{}\" (token {}) is at risk: {}", Printable.of(terms.name()), token.getAsLong(), why);
        if (isHandedOut()) {
            context.instruments().atRisk(terms);
            context.tellLater(event(LockEvent.Type.AT_RISK), List.of());
        }
    }

    void lost(String because) {
        log.warn("The lock \"{}\" (token {}) is lost: {}", Printable.of(terms.name()), token.getAsLong(), because);
        if (isHandedOut()) {
            LockEvent event = event(LockEvent.Type.LOST);
            bodies().forEach(body -> body.lostUnlessFoundOut(event));
            context.instruments().lost(terms);
            context.tellLater(event, lostActions());
        }
    }

    /** It was lost before the work began. */
    void lostBefore(LossInterrupts.Body body) {
        body.lost(event(LockEvent.Type.LOST));
    }

    /** Tells one who asks only now. */
    void lostBefore(Consumer<LockEvent> action) {
        context.callLater(event(LockEvent.Type.LOST), action);
    }

    private synchronized LockEvent event(LockEvent.Type type) {
        return grant.event(type, lease, token.getAsLong(), lease.mode());
    }
}
