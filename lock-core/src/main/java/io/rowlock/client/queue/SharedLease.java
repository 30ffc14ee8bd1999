package io.rowlock.client.queue;

import io.rowlock.LockMode;
import io.rowlock.client.lease.LeaseContext;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;

/**
 * The time for which this process has one lease: its threads hold it together if they only read, and one after another as
 * long as {@link Handoff} allows, and up to ten times as long if no other process is seen to wait. It is one row and one
 * renewal. When its last holder has left and nobody in the line may follow, the lease is given back.
 *
 * <p>An exclusive lease is handed to readers, too: nobody else can be inside. Each writer that follows gets a token greater by
 * one, as long as the lease has any left; readers have the token of the writer before them.
 *
 * <p>Thread-safe; what changes is guarded by its {@link LocalQueue}.
 */
public final class SharedLease {
    private static final Handoff ALONE = new Handoff(0, Duration.ZERO);

    /** Processes that cannot line up are not seen, so they get their turn after that many times the limits. */
    private static final int MOST_PROLONGED = 9;

    private final ManagedLease lease;
    private final LocalQueue line;
    private final Handoff handoff;
    private final LeaseContext context;
    private final long since;
    private long until;
    private LockMode use;
    private int holders = 1;
    private int handedOn;
    private int prolonged;

    public SharedLease(ManagedLease lease, LocalQueue line, Handoff handoff, LeaseContext context) {
        this.lease = lease;
        this.line = line;
        this.handoff = handoff;
        this.context = context;
        this.since = context.now();
        this.until = since + handoff.maxTime().toNanos();
        this.use = lease.lease().mode();
    }

    public ManagedLease lease() {
        return lease;
    }

    /** Whether one who asks for this may hold the lease, too, or next. The line is guarded. */
    boolean admits(ResolvedRequest terms) {
        return fits(terms) && isInTime() && (holders == 0 ? mayFollow(terms) : mayJoin(terms));
    }

    private boolean fits(ResolvedRequest terms) {
        return terms.ttl().equals(lease.ttl()) && terms.renewal() == lease.isRenewed();
    }

    private boolean mayJoin(ResolvedRequest terms) {
        return use == LockMode.SHARED && terms.mode() == LockMode.SHARED && lease.isHeld();
    }

    private boolean isInTime() {
        return until - context.now() > 0;
    }

    private boolean mayFollow(ResolvedRequest terms) {
        return handedOn < handoff.max() && isPassableTo(terms);
    }

    /** A lease that is not renewed would be shorter for the next than what that one asked for. */
    private boolean isPassableTo(ResolvedRequest terms) {
        return terms.renewal()
                && lease.lease().mode().covers(terms.mode())
                && lease.isPassable()
                && (terms.mode() == LockMode.SHARED || lease.hasTokenLeft(since));
    }

    /** Whether nothing but the limits, which can begin anew, keeps one who asks for this from following. The line is guarded. */
    boolean isOnlyLimitedFor(ResolvedRequest terms) {
        return handoff.max() > 0
                && prolonged < MOST_PROLONGED
                && lease.isExclusive()
                && fits(terms)
                && isPassableTo(terms);
    }

    /** Whether another process is seen to wait. Asks the database. */
    boolean isWaitedFor() {
        try {
            return lease.store().queue().isWaitedFor(lease.lease());
        } catch (RuntimeException e) {
            return true; // whatever it was, the lease must be given back
        }
    }

    /** The hand-off begins anew. The line is guarded. */
    void goOn() {
        prolonged++;
        handedOn = 0;
        until = context.now() + handoff.maxTime().toNanos();
    }

    /** One more holder. The line is guarded. The token changes only here, so never while one holds the lease. */
    void enter(ResolvedRequest terms) {
        if (terms.mode() == LockMode.EXCLUSIVE) {
            lease.nextToken();
        }
        handedOn += holders == 0 ? 1 : 0;
        use = terms.mode();
        holders++;
    }

    /** A holder less. The line is guarded. @return whether it was the last */
    boolean exit() {
        holders--;
        return holders == 0;
    }

    /** The line is guarded. */
    boolean isUsed() {
        return holders > 0;
    }

    /** A holder leaves, and the lease is handed on or given back. */
    public void leave() {
        line.leave(this);
    }

    /** A holder wants a new ttl. It is never made shorter than what another holder counts on. */
    public void extend(Duration ttl) {
        boolean shorter = ttl.compareTo(lease.ttl()) < 0;
        lease.extend(shorter && isSharedByMany() ? lease.ttl() : ttl);
    }

    public boolean isSharedByMany() {
        return line.isSharedByMany(this);
    }

    /** The line is guarded. */
    boolean hasMany() {
        return holders > 1;
    }

    /** The holder has another lease instead, which nobody else joins. */
    public SharedLease replacedBy(ManagedLease other) {
        return new SharedLease(other, line, ALONE, context);
    }
}
