package io.rowlock.client;

import io.rowlock.LockEvent;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;

/** What a lease needs of its surroundings. */
interface LeaseContext {
    long now();

    /** How long after a renewal to {@code ttl} the next one is due. */
    Duration renewalInterval(Duration ttl);

    /** Looks after a lease until it ends. */
    void keep(ManagedLease lease);

    /** The lease has other times at which something is due. */
    void leaseChanged(ManagedLease lease);

    /** The lease was released or lost. */
    void leaseEnded(ManagedLease lease);

    /** Tells the listeners on the calling thread. */
    void tell(LockEvent event);

    /** Tells the listeners, then {@code more}, on a thread for events. */
    void tellLater(LockEvent event, Collection<Consumer<LockEvent>> more);

    /** What the client is measured with. */
    Instruments instruments();

    /** Calls one action on a thread for events. */
    void callLater(LockEvent event, Consumer<LockEvent> action);
}
