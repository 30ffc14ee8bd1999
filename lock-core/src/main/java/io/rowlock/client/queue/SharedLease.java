package io.rowlock.client.queue;

import io.rowlock.LockMode;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import java.time.Duration;

/**
 * One lease and the threads of this process that share it: readers hold it together, and others one after another as
 * long as {@link Handoff} allows, or up to ten times as long if no other process is seen to wait. It is one row and one
 * renewal.
 *
 * <p>An exclusive lease is handed to readers, too: no other owner can be inside. Each writer that follows gets a token greater by
 * one, as long as the lease has any left; readers have the token of the writer before them.
 *
 * <p>State only: it asks no store and no queue. What changes is guarded by the {@link LocalQueue} whose threads share it.
 */
public final class SharedLease {
    private static final Handoff NONE = new Handoff(0, Duration.ZERO);

    /** Processes that have no queue are not seen, so the lease is released after that many times the limits. */
    private static final int MOST_PROLONGED = 9;

    private final ManagedLease lease;
    private final Handoff handoff;
    private final Ticker ticker;
    private final long since;
    private long until;
    private LockMode use;
    private int holders = 1;
    private int handedOn;
    private int prolonged;
    private boolean inQuestion;

    public SharedLease(ManagedLease lease, Handoff handoff, Ticker ticker) {
        this.lease = lease;
        this.handoff = handoff;
        this.ticker = ticker;
        this.since = ticker.nanoTime();
        this.until = since + handoff.maxTime().toNanos();
        this.use = lease.lease().mode();
    }

    public ManagedLease lease() {
        return lease;
    }

    /** Whether a thread that asks for this may hold the lease, too, or next. */
    boolean admits(ResolvedRequest request) {
        return !inQuestion && fits(request) && isInTime() && (holders == 0 ? mayFollow(request) : mayJoin(request));
    }

    private boolean fits(ResolvedRequest request) {
        return request.ttl().equals(lease.ttl()) && request.renewal() == lease.isRenewed();
    }

    private boolean mayJoin(ResolvedRequest request) {
        return use == LockMode.SHARED && request.mode() == LockMode.SHARED && lease.isHeld();
    }

    private boolean isInTime() {
        return until - ticker.nanoTime() > 0;
    }

    private boolean mayFollow(ResolvedRequest request) {
        return handedOn < handoff.max() && isPassableTo(request);
    }

    /** A lease that is not renewed would be shorter for the next holder than its request asks. */
    private boolean isPassableTo(ResolvedRequest request) {
        return request.renewal()
                && lease.lease().mode().covers(request.mode())
                && lease.isPassable()
                && (request.mode() == LockMode.SHARED || lease.hasTokenLeft(since));
    }

    /** Whether only the limits, which can start again, keep a thread that asks for this from following. */
    boolean isOnlyLimitedFor(ResolvedRequest request) {
        return handoff.max() > 0
                && prolonged < MOST_PROLONGED
                && lease.isExclusive()
                && fits(request)
                && isPassableTo(request);
    }

    /** Its last holder asks whether another process waits: no thread is admitted until {@link #endQuestion}. */
    void beginQuestion() {
        inQuestion = true;
    }

    void endQuestion() {
        inQuestion = false;
    }

    /** The limits start again. */
    void prolong() {
        prolonged++;
        handedOn = 0;
        until = ticker.nanoTime() + handoff.maxTime().toNanos();
    }

    /** One more holder. The token changes only here, so never while a thread holds the lease. */
    void enter(ResolvedRequest request) {
        if (request.mode() == LockMode.EXCLUSIVE) {
            lease.nextToken();
        }
        handedOn += holders == 0 ? 1 : 0;
        use = request.mode();
        holders++;
    }

    /** A holder less. @return whether it was the last */
    boolean exit() {
        holders--;
        return holders == 0;
    }

    boolean isUsed() {
        return holders > 0;
    }

    boolean hasMany() {
        return holders > 1;
    }

    /** The holder has another lease instead, which no other thread joins. */
    public SharedLease replacedBy(ManagedLease other) {
        return new SharedLease(other, NONE, ticker);
    }
}
