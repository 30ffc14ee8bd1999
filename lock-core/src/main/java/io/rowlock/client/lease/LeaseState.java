package io.rowlock.client.lease;

import io.rowlock.client.request.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of one lease: how long it lasts by the process's own clock, whether it is held, released or lost, and
 * what is left to do about it in the database. Pure: readings of the {@link Ticker} in, decisions out.
 *
 * <p>The database computed the end of the lease when it received the statement, which was after it was sent: a lease counted
 * from when the statement was sent ends here no later than there. An answer counts only if it arrived before the lease
 * expired, since after that another owner may have had it.
 *
 * <p>A lease may last for a promise first, which is shorter than its ttl. Then one renewal is due at the latest when a third of
 * the promise has passed, and it makes the lease last for its ttl.
 *
 * <p>A lease is held until it is released or lost, whichever comes first, and stays what it is then, with one exception: a
 * release that finds the lease gone makes it lost.
 *
 * <p>Not thread-safe; {@link ManagedLease} guards it.
 */
final class LeaseState {
    static final String GONE = "it ran out, was taken over or was released by force";
    static final String FORCED = "it was released by force";
    static final String OVERDUE = "it was not renewed before it ran out";
    static final String UNPROVEN = "the database did not say whether it became shared";
    static final String LATE_ANSWER = "the answer to its renewal came too late";

    private enum Phase {
        HELD,
        RELEASED,
        LOST
    }

    /** What the clock has brought about. */
    enum Alarm {
        NONE,
        AT_RISK,
        LOST
    }

    /** What a release has to do in the database. */
    enum Release {
        /** End the lease. */
        SEND,
        /** It was lost by the process's clock only: end what may be left of it in the database. */
        SEND_REST,
        NOTHING
    }

    private final List<OpenFence> fences = new ArrayList<>(1);
    private Phase phase = Phase.HELD;
    private @Nullable String lostBecause;

    private boolean renewed;
    private boolean promised;
    private long ttl;

    /** How long it lasts from when the last call was sent that counts: its ttl, or what it was promised for. */
    private long span;

    private long interval;
    private long sent;
    private long deadline;
    private long nextRenewal;
    private boolean warned;
    private boolean endKnown;

    private boolean kept;
    private long keptUntil;
    private boolean gone;
    private boolean releaseConfirmed;

    /**
     * @param sent when the statement was sent that took the lease
     * @param ttl how long the lease lasts
     * @param interval how long after a renewal the next is due
     * @param renewed whether it is renewed
     */
    LeaseState(long sent, long ttl, long interval, boolean renewed) {
        this.ttl = ttl;
        this.renewed = renewed;
        restart(sent, ttl, interval);
    }

    private void restart(long sentAt, long lasting, long renewedAfter) {
        span = lasting;
        interval = renewedAfter;
        sent = sentAt;
        deadline = sentAt + lasting;
        nextRenewal = sentAt + renewedAfter;
        warned = false;
        endKnown = true;
    }

    /** It was taken for that long only. One that is not renewed gets its ttl at once, because its holder counts on the end of it. */
    void promised(long lasting) {
        promised = true;
        restart(sent, lasting, Math.min(interval, lasting / 3));
        if (!renewed) {
            nextRenewal = sent;
        }
    }

    // ---- how long it lasts

    long ttl() {
        return ttl;
    }

    boolean isHeld(long now) {
        return phase == Phase.HELD && deadline - now > 0;
    }

    long remaining(long now) {
        return isHeld(now) ? deadline - now : 0;
    }

    long deadline() {
        return deadline;
    }

    /**
     * Whether another thread may have it next: it is renewed in time, not kept for its minimum, and no transaction that relied on
     * it is still to commit.
     */
    boolean isPassable(long now) {
        return isHeld(now) && !isKept(now) && !isProtected() && remaining(now) >= span / 2;
    }

    /** Whether it is not renewed and its time is over, so that it will not come back. */
    boolean hasRunOut(long now) {
        return !renewed && phase != Phase.RELEASED && deadline - now <= 0;
    }

    // ---- renewal

    boolean isRenewed() {
        return renewed;
    }

    void endRenewals() {
        renewed = false;
        promised = false;
    }

    /** Whether it lasts for a promise, and not for its ttl yet. */
    boolean isPromised() {
        return promised;
    }

    private boolean isToBeRenewed() {
        return renewed || promised;
    }

    private boolean isRenewable() {
        return isToBeRenewed() && phase == Phase.HELD && !isProtected();
    }

    /** @return when its next renewal is due, or null if it is not renewed (any more, or at the moment) */
    @Nullable
    Long renewalDue(long now) {
        return isRenewable() && isHeld(now) ? nextRenewal : null;
    }

    /** How much later it is than when a renewal was due that has not succeeded yet. */
    long lag(long now) {
        return isRenewable() ? Math.max(0, now - sent - interval) : 0;
    }

    /**
     * A renewal or extension to {@code newTtl}, sent and answered at these times.
     *
     * @return whether it lost the lease: its answer came too late
     */
    boolean renewed(long sentAt, long answeredAt, long newTtl, long newInterval) {
        if (!isHeld(answeredAt)) {
            return lose(LATE_ANSWER);
        }
        promised = false;
        ttl = newTtl;
        restart(sentAt, newTtl, newInterval);
        return false;
    }

    /**
     * A renewal without an answer: the end known so far stays, and the next try comes sooner.
     *
     * @return whether the lease is at risk and no warning of it was given before
     */
    boolean renewalFailed(long now) {
        if (phase != Phase.HELD) {
            return false;
        }
        nextRenewal = now + interval / 4;
        return !isProtected() && warn();
    }

    /**
     * Before an attempt to change the ttl: from now on the lease may end as early as a shorter one says, whatever renewals
     * follow, because the attempt may be carried out after them. Only the answer to an attempt makes the end known again.
     */
    void extending(long sentAt, long newTtl) {
        endKnown = false;
        long earlierDeadline = sentAt + newTtl;
        if (earlierDeadline - deadline < 0) {
            deadline = earlierDeadline;
            nextRenewal = sentAt - nextRenewal < 0 ? sentAt : nextRenewal;
        }
    }

    /** Whether no attempt to change the ttl may still be carried out; while one may, a renewal would not count. */
    boolean isEndKnown() {
        return endKnown;
    }

    // ---- the clock

    /** Halfway between when a renewal was due and when the lease ends. */
    private long warningAt() {
        return sent + interval + (span - interval) / 2;
    }

    private boolean warn() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    /** Whether it will be lost unless it is renewed soon. */
    boolean isAtRisk(long now) {
        return isRenewable() && (warned || warningAt() - now <= 0);
    }

    /** Looks at the clock: warns once a renewal, and loses the lease that has expired. */
    Alarm look(long now) {
        if (phase != Phase.HELD || isProtected()) {
            return Alarm.NONE;
        }
        if (loseIfOverdue(now)) {
            return Alarm.LOST;
        }
        return isAtRisk(now) && warn() ? Alarm.AT_RISK : Alarm.NONE;
    }

    /** @return whether this is how it ended: it has expired, and that was not noticed before */
    boolean loseIfOverdue(long now) {
        return !isHeld(now) && lose(OVERDUE);
    }

    /** @return when to look at the clock next, or null if nothing more can be seen there, or at the moment */
    @Nullable
    Long nextLook() {
        if (phase != Phase.HELD || isProtected()) {
            return null;
        }
        return isToBeRenewed() && !warned ? warningAt() : deadline;
    }

    // ---- fences

    void fenceOpened(OpenFence fence) {
        fences.add(fence);
    }

    /** Whether a transaction's row lock protects the lease, so that a renewal would wait for it. */
    private boolean isProtected() {
        for (OpenFence fence : fences) {
            if (fence.protectsLease()) {
                return true;
            }
        }
        return false;
    }

    void fenceClosed(OpenFence fence) {
        fences.remove(fence);
    }

    List<OpenFence> openFences() {
        return fences;
    }

    // ---- the end

    /** Whether it is neither released nor known to be lost, though it may have expired. */
    boolean isOpen() {
        return phase == Phase.HELD;
    }

    boolean isReleased() {
        return phase == Phase.RELEASED;
    }

    /** @return why it is lost, or null if it is not known to be */
    @Nullable
    String lostBecause(long now) {
        return phase == Phase.HELD && !isHeld(now) ? OVERDUE : lostBecause;
    }

    /** @return whether this is how it ended */
    boolean lose(String because) {
        if (phase != Phase.HELD) {
            return false;
        }
        phase = Phase.LOST;
        lostBecause = because;
        return true;
    }

    /**
     * The database does not have it any more. A release that is on its way finds out by itself: a renewal may just come after it.
     *
     * @return whether this is how it ended
     */
    boolean goneInDatabase(String because) {
        gone |= phase != Phase.RELEASED;
        return lose(because);
    }

    /** It is lost here and must not be used, whatever it is in the database. */
    boolean abandon(String because) {
        gone = true;
        return lose(because);
    }

    /** Keeps it taken that long from now, though it is released before. */
    void keepFor(long atLeast, long now) {
        long time = now + atLeast;
        if (!kept || time - keptUntil > 0) {
            kept = true;
            keptUntil = time;
        }
    }

    boolean isKept(long now) {
        return rest(now) > 0;
    }

    /** How long it is still to be kept. */
    long rest(long now) {
        return kept ? Math.max(0, keptUntil - now) : 0;
    }

    /** The holder releases it. @return what is to be done in the database */
    Release release(long now) {
        if (phase == Phase.HELD) {
            phase = Phase.RELEASED;
            return Release.SEND;
        }
        if (phase == Phase.RELEASED || gone || isKept(now)) {
            return Release.NOTHING;
        }
        gone = true;
        return Release.SEND_REST;
    }

    /** The database answered that it ended the lease. */
    void releaseConfirmed() {
        releaseConfirmed = true;
    }

    /** The database answered that there was no lease to end. */
    void foundGone() {
        gone = true;
        phase = Phase.LOST;
        lostBecause = GONE;
    }

    /** It became another lease. @return false if it was not held any more */
    boolean replaced(long now) {
        boolean inTime = isHeld(now);
        if (inTime) {
            phase = Phase.RELEASED;
            releaseConfirmed = true;
        }
        return inTime;
    }

    /** Whether it was lost, even if only its release found that out. */
    boolean isGone() {
        return gone || phase == Phase.LOST;
    }

    /** Whether the database is known to have ended it for its holder. */
    boolean isReleaseConfirmed() {
        return releaseConfirmed;
    }
}
