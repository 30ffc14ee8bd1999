package io.rowlock.client.lease;

import io.rowlock.LockEvent;
import io.rowlock.client.event.SafeInstrumentation;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.LeaseRequest;
import java.time.Duration;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** What a lease needs of its surroundings. */
public interface LeaseContext {
    long now();

    /** How long after a renewal to {@code ttl} the next one is due. */
    Duration renewalInterval(Duration ttl);

    /** Looks after a lease until it ends. */
    void keep(ManagedLease lease);

    /** The lease has other times at which something is due. */
    void leaseChanged(ManagedLease lease);

    /**
     * Asks the database in the background, again and again, to end something that got no answer.
     *
     * @param ending asks it; true if it need not be asked again
     * @param lasting how long it may matter
     */
    void endLater(ResolvedRequest terms, BooleanSupplier ending, Duration lasting);

    /** Has whatever an attempt of uncertain outcome took, or will take, taken back in the background. */
    void takeBack(ResolvedRequest terms, LeaseRequest request);

    /** The lease was released or lost. */
    void leaseEnded(ManagedLease lease);

    /** Tells the listeners on the calling thread. */
    void tell(LockEvent event);

    /** Tells the listeners, then {@code more}, on a thread for events. */
    void tellLater(LockEvent event, Collection<Consumer<LockEvent>> more);

    /** What the client is measured with. */
    SafeInstrumentation instruments();

    /** Calls one action on a thread for events. */
    void callLater(LockEvent event, Consumer<LockEvent> action);
}
