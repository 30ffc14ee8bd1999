package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import java.time.Duration;

/**
 * What listeners are told of one grant.
 *
 * @param terms what was asked for
 * @param since when it was granted, as {@link LeaseContext#now} has it
 * @param waited how long it was waited for
 */
record GrantNotices(Terms terms, LeaseContext context, long since, Duration waited) {
    /** The hold on the lease is measured from now on. */
    LockInstrumentation.Holding holding(Lease lease) {
        return context.instruments().holding(terms, lease.fencingToken());
    }

    /** How long ago it was granted. */
    Duration age() {
        return Duration.ofNanos(context.now() - since);
    }

    void abandoned() {
        context.instruments().abandoned(terms);
    }

    void acquired(Lease lease) {
        context.tell(event(LockEvent.Type.ACQUIRED, lease, terms.mode()));
    }

    void released(Lease lease, LockMode mode) {
        context.tell(event(LockEvent.Type.RELEASED, lease, mode));
    }

    LockEvent event(LockEvent.Type type, Lease lease, LockMode mode) {
        return new LockEvent(
                type,
                terms.name(),
                terms.staticName(),
                mode,
                terms.store().strategy(),
                lease.owner(),
                lease.fencingToken(),
                waited,
                age(),
                EventClock.now());
    }
}
