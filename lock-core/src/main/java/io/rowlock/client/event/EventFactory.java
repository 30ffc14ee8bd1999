package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.client.lease.LeaseContext;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Lease;
import java.time.Duration;

/**
 * What listeners are told of one grant.
 *
 * @param terms what was asked for
 * @param since when it was granted, as {@link LeaseContext#now} has it
 * @param waited how long it was waited for
 */
public record EventFactory(ResolvedRequest terms, LeaseContext context, long since, Duration waited) {
    /** The hold on the lease is measured from now on. */
    public LockInstrumentation.Holding holding(long token) {
        return context.instruments().holding(terms, token);
    }

    /** How long ago it was granted. */
    public Duration age() {
        return Duration.ofNanos(context.now() - since);
    }

    public void abandoned() {
        context.instruments().abandoned(terms);
    }

    public void acquired(Lease lease, long token) {
        context.tell(event(LockEvent.Type.ACQUIRED, lease, token, terms.mode()));
    }

    public void released(Lease lease, long token, LockMode mode) {
        context.tell(event(LockEvent.Type.RELEASED, lease, token, mode));
    }

    /** @param token the token of the grant, which need not be the fence of its lease */
    public LockEvent event(LockEvent.Type type, Lease lease, long token, LockMode mode) {
        return new LockEvent(
                type,
                terms.name(),
                terms.staticName(),
                mode,
                terms.store().strategy(),
                lease.owner(),
                token,
                waited,
                age(),
                EventClock.now());
    }
}
