package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.Printable;
import io.rowlock.client.lease.LeaseContext;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Lease;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What listeners are told of an attempt to take a key, whether or not it ends with a grant.
 *
 * @param terms what is asked for
 */
public record AttemptNotices(ResolvedRequest terms, LeaseContext context) {
    private static final Logger log = LoggerFactory.getLogger(AttemptNotices.class);

    /**
     * Others had it to the last.
     *
     * @param holder who, or empty if that is not known
     */
    public void busy(String holder, Duration waited) {
        tell(LockEvent.Type.BUSY, terms.mode(), holder, 0, waited, Duration.ZERO);
    }

    /** A lease that its holder had let run out stood in the way, and does not any more. */
    public void expired(ExpiredLease former) {
        Lease lease = former.lease();
        log.warn(
                "The lock \"{}\" (token {}) was not released by {}, and has run out",
                Printable.of(terms.name()),
                lease.fence(),
                Printable.of(lease.owner()));
        tell(LockEvent.Type.EXPIRED, lease.mode(), lease.owner(), lease.fence(), Duration.ZERO, former.held());
    }

    private void tell(LockEvent.Type type, LockMode mode, String owner, long token, Duration waited, Duration held) {
        LockEvent event = new LockEvent(
                type,
                terms.name(),
                terms.staticName(),
                mode,
                terms.store().strategy(),
                owner,
                token,
                waited,
                held,
                EventClock.now());
        context.tellLater(event, List.of());
    }
}
