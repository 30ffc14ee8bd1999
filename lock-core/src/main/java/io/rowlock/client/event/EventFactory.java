package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Lease;
import java.time.Duration;
import java.time.Instant;

/**
 * Makes the events of one request, from its attempts to the end of its grant. The wall clock is read here only, for what is
 * shown to people; nothing is decided by it.
 *
 * @param request what was asked for
 * @param ticker the clock of {@code since}
 * @param since when it was granted
 * @param waited how long it waited for that
 */
public record EventFactory(ResolvedRequest request, Ticker ticker, long since, Duration waited) {
    /** For a request without a grant. */
    public static EventFactory ofAttempt(ResolvedRequest request, Ticker ticker, Duration waited) {
        return new EventFactory(request, ticker, ticker.nanoTime(), waited);
    }

    /** How long ago it was granted. */
    public Duration age() {
        return Duration.ofNanos(ticker.nanoTime() - since);
    }

    /**
     * Other owners held the key until the wait time was over.
     *
     * @param holder one of them, or empty if none is known
     */
    public LockEvent busy(String holder) {
        return event(LockEvent.Type.BUSY, request.mode(), holder, 0, waited, Duration.ZERO);
    }

    /** A lease that its owner let expire was removed. */
    public LockEvent expired(ExpiredLease former) {
        Lease lease = former.lease();
        return event(LockEvent.Type.EXPIRED, lease.mode(), lease.owner(), lease.fence(), Duration.ZERO, former.held());
    }

    /** @param token the token of the grant, which may be greater than the fence of its lease */
    public LockEvent acquired(Lease lease, long token) {
        return ofGrant(LockEvent.Type.ACQUIRED, lease, token, request.mode());
    }

    /** @param mode the mode in which the thread held the lease at last */
    public LockEvent released(Lease lease, long token, LockMode mode) {
        return ofGrant(LockEvent.Type.RELEASED, lease, token, mode);
    }

    public LockEvent atRisk(Lease lease, long token) {
        return ofGrant(LockEvent.Type.AT_RISK, lease, token, lease.mode());
    }

    public LockEvent lost(Lease lease, long token) {
        return ofGrant(LockEvent.Type.LOST, lease, token, lease.mode());
    }

    /** Of a lock that is part of a transaction: it has no lease and no token. */
    public static LockEvent inTransaction(
            LockEvent.Type type, ObservedLock lock, String owner, Duration waited, Duration held) {
        return new LockEvent(
                type, lock.key(), lock.name(), lock.mode(), lock.strategy(), owner, 0, waited, held, Instant.now());
    }

    private LockEvent ofGrant(LockEvent.Type type, Lease lease, long token, LockMode mode) {
        return event(type, mode, lease.owner(), token, waited, age());
    }

    private LockEvent event(
            LockEvent.Type type, LockMode mode, String owner, long token, Duration waitedFor, Duration held) {
        return new LockEvent(
                type,
                request.name(),
                request.staticName(),
                mode,
                request.store().strategy(),
                owner,
                token,
                waitedFor,
                held,
                Instant.now());
    }
}
