package io.rowlock.client.lease;

import io.rowlock.client.request.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of its lease by its own clock. Pure: readings of the {@link Ticker} in, decisions out.
 *
 * <p>The database froze the lease's end when it received the statement, which was after it was sent: a lease counted
 * from when the statement was sent ends here no later than there. An answer counts only if it arrived while the lease
 * still lasted, since otherwise somebody else may have had it in between.
 *
 * <p>Not thread-safe; {@link ManagedLease} guards it.
 */
final class LeaseState {
    private long ttl;
    private long interval;
    private long sent;
    private long deadline;
    private long nextRenewal;
    private boolean warned;
    private boolean endKnown;
    private @Nullable String lostBecause;

    /**
     * @param sent when the statement was sent that took the lease
     * @param ttl how long the lease lasts
     * @param interval how long after a renewal the next is due
     */
    LeaseState(long sent, long ttl, long interval) {
        this.interval = interval;
        restart(sent, ttl);
    }

    private void restart(long sentAt, long newTtl) {
        ttl = newTtl;
        sent = sentAt;
        deadline = sentAt + newTtl;
        nextRenewal = sentAt + interval;
        warned = false;
        endKnown = true;
    }

    long ttl() {
        return ttl;
    }

    boolean isHeld(long now) {
        return lostBecause == null && deadline - now > 0;
    }

    boolean hasRunOut(long now) {
        return deadline - now <= 0;
    }

    long remaining(long now) {
        return isHeld(now) ? deadline - now : 0;
    }

    long deadline() {
        return deadline;
    }

    long nextRenewal() {
        return nextRenewal;
    }

    /** How much later it is than when a renewal was due that has not succeeded yet. */
    long lag(long now) {
        return Math.max(0, now - sent - interval);
    }

    /** Halfway between when a renewal was due and when the lease ends. */
    long warningAt() {
        return sent + interval + (ttl - interval) / 2;
    }

    /** @return whether the lease is in danger and this was not said before */
    boolean warn() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    boolean isWarned() {
        return warned;
    }

    /** A renewal or extension to {@code newTtl}, sent and answered at these times. False: it came too late, it is lost. */
    boolean renewed(long sentAt, long answeredAt, long newTtl, long newInterval) {
        if (!isHeld(answeredAt)) {
            lost("the answer to its renewal came too late");
            return false;
        }
        interval = newInterval;
        restart(sentAt, newTtl);
        return true;
    }

    /** A renewal that brought no answer: what was known before still holds; try again sooner. */
    void renewalFailed(long now) {
        nextRenewal = now + interval / 4;
    }

    /**
     * Before an attempt to change the ttl: from now on the lease may end as early as a shorter one says, whatever renewals
     * follow, because the attempt may be carried out after them. Only the answer to an attempt makes it known again.
     */
    void extending(long sentAt, long newTtl) {
        endKnown = false;
        long earlierDeadline = sentAt + newTtl;
        if (earlierDeadline - deadline < 0) {
            deadline = earlierDeadline;
            nextRenewal = sentAt - nextRenewal < 0 ? sentAt : nextRenewal;
        }
    }

    /** Whether an attempt to change the ttl may still be carried out, so that a renewal would not count. */
    boolean isEndKnown() {
        return endKnown;
    }

    void lost(String because) {
        if (lostBecause == null) {
            lostBecause = because;
        }
    }

    /** @return why it is lost, or null if it is not known to be */
    @Nullable
    String lostBecause() {
        return lostBecause;
    }
}
