package io.rowlock.client.lock;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A lease of this process, from the store's grant to its end, and the threads that hold it: readers together, others one after another.
 * Its {@link Phase} decides everything; this package describes the events that change it. RELEASED and LOST are final.
 *
 * <p>Thread-safe. The {@link KeyQueue} of its key guards every field, as it guards all leases, waiters and holders of that key.
 * The store, listeners and other guards are never called under it. What is volatile is written under it, too, and read alone without it.
 */
final class HeldLease {
    static final String GONE = "it expired, was taken over or was released by force";
    static final String FORCED = "it was released by force";
    static final String OVERDUE = "it was not renewed before it expired";
    static final String UNPROVEN = "the database did not say whether it became shared";
    static final String LATE_ANSWER = "the answer to its renewal came too late";

    enum Phase {
        HELD,
        /** Held, and just becoming shared. */
        CHANGING,
        /** Released here; the store has not confirmed it. */
        RELEASING,
        RELEASED,
        /** Lost by this process's clock only: the rest of it may last in the store. */
        OVERDUE,
        LOST
    }

    private final Lease lease;
    final ResolvedRequest request;
    private final ThreadLock acquirer;
    final KeyQueue guard;
    final LeaseEnding ending;

    private volatile Phase phase = Phase.HELD;
    private @Nullable String lostBecause;
    /** Its end only moves on. */
    private volatile LeaseTerm term;

    private volatile long keptUntil;
    private final List<OpenTransaction.OpenFence> fences = new ArrayList<>(1);
    /** The threads that hold it. While it is released, and after its loss, those that held it last. */
    final List<ThreadLock> holders = new ArrayList<>(1);

    private volatile Handoff.Budget budget;

    /**
     * A lease that was granted just now. It is not renewed before {@link LeaseRenewer#keep}.
     *
     * @param sent when the statement was sent that acquired it for {@code acquirer}
     * @param promise how long it lasts, or null for its ttl
     */
    HeldLease(Lease lease, ResolvedRequest request, long sent, @Nullable Duration promise, ThreadLock acquirer) {
        this.lease = lease;
        this.request = request;
        this.acquirer = acquirer;
        this.guard = acquirer.guard;
        this.ending = acquirer.process.renewer.ending;
        this.keptUntil = sent;
        this.budget = Handoff.Budget.begun(guard.handoff, sent);
        LeaseTerm full = acquirer.process.renewer.term(sent, request.ttl());
        LeaseTerm lasting = promise == null ? full : full.promised(promise.toNanos());
        // A holder of a lease that is not renewed counts on all of its ttl at once.
        this.term = request.renewal() ? lasting : lasting.due(sent);
    }

    public Lease lease() {
        return lease;
    }

    public LockStore store() {
        return request.store();
    }

    /** Returns true if it is renewed as long as it is held. */
    public boolean isRenewed() {
        return request.renewal();
    }

    private long now() {
        return acquirer.process.observers.ticker().nanoTime();
    }

    // ---- its state

    /** Returns true if it is neither released nor known to be lost, though its term may be over. */
    boolean isOpen() {
        return phase == Phase.HELD || phase == Phase.CHANGING;
    }

    boolean is(Phase asked) {
        return phase == asked;
    }

    /** Reads the phase first: a term that has become longer since then did so while the lease was open. */
    public boolean isHeld() {
        return isOpen() && !term.isOver(now());
    }

    public Duration remaining() {
        return Duration.ofNanos(isOpen() ? term.remaining(now()) : 0);
    }

    public Duration ttl() {
        return Duration.ofNanos(term.ttl());
    }

    /** Returns true if the store has promised it for less than its ttl, until its first renewal. */
    boolean isPromise() {
        return term.isPromise();
    }

    /** Returns the token of its latest grant: the first has the lease's fence, each hand-off to a writer brings one more. */
    public long token() {
        return lease.fence() + budget.tokens();
    }

    /** Returns why it is or was lost, by the clock or by the database, or null if it is held or was released. */
    @Nullable
    String lostBecause() {
        synchronized (guard) {
            return isOpen() && term.isOver(now()) ? OVERDUE : lostBecause;
        }
    }

    /** Returns why it is not held, or null if it is: it is lost, or was released while a thread still relied on it, as at shutdown. */
    @Nullable
    String notHeldBecause() {
        synchronized (guard) {
            return isHeld() ? null : Objects.requireNonNullElse(lostBecause(), "it was released");
        }
    }

    /** @throws LockLostException if it is not held */
    public void requireHeld() {
        String because = notHeldBecause();
        if (because != null) {
            throw ending.foundOver(this, token(), because);
        }
    }

    // ---- its holders; called by the queue of its key, under its guard

    /** Hands it out for the first time. Until then it only keeps the key closed, and no event tells of it. */
    void granted(ThreadLock first) {
        budget = Handoff.Budget.begun(guard.handoff, now());
        holders.add(first);
    }

    /** Returns true if a thread that asks for this may hold it, too, or next. */
    boolean admits(ResolvedRequest wanted) {
        return !budget.isOver(now())
                && (holders.isEmpty()
                        ? budget.isNextAllowed() && isPassableTo(wanted)
                        : fits(wanted)
                                && holders.get(0).request.mode() == LockMode.SHARED
                                && wanted.mode() == LockMode.SHARED
                                && isHeld());
    }

    /** A lease that is not renewed would be shorter for the next holder than its request asks. */
    private boolean fits(ResolvedRequest wanted) {
        return wanted.ttl().toNanos() == term.ttl() && wanted.renewal() && isRenewed();
    }

    /**
     * Returns true if it is renewed in time, not kept for its minimum, has a token for a writer, and no transaction that relied on it is
     * still to commit.
     */
    private boolean isPassableTo(ResolvedRequest wanted) {
        return fits(wanted)
                && lease.mode().covers(wanted.mode())
                && isHeld()
                && rest().isZero()
                && !isProtected()
                && term.isFresh(now())
                && (wanted.mode() == LockMode.SHARED
                        || budget.tokens()
                                < store().capabilities().handoffs().most(lease.fence(), budget.lasting(now())));
    }

    /** Returns true if the limits of the hand-off, which can begin anew, keep a thread that asks for this from following the only holder. */
    boolean isOnlyLimitedFor(ResolvedRequest wanted) {
        boolean alone = holders.size() == 1 && lease.mode() == LockMode.EXCLUSIVE;
        return alone && budget.canBeProlonged(now()) && isPassableTo(wanted);
    }

    /** Lets no thread follow: the commit of one that relied on it may still come. In the store its row is locked until then. */
    void handOnNoMore() {
        synchronized (guard) {
            budget = budget.stopped(now());
        }
    }

    /** Lets the limits of the hand-off begin anew. */
    void prolong() {
        budget = budget.prolonged(now());
    }

    /** Adds a holder. The token changes only here, so never while a thread holds the lease. */
    void join(ThreadLock holder) {
        budget = holders.isEmpty() ? budget.next(holder.request.mode() == LockMode.EXCLUSIVE) : budget;
        holders.add(holder);
    }

    boolean isUsed() {
        synchronized (guard) {
            return !holders.isEmpty();
        }
    }

    // ---- its renewal

    private boolean isProtected() {
        return !fences.isEmpty() && fences.stream().anyMatch(OpenTransaction.OpenFence::protectsLease);
    }

    private boolean isRenewable() {
        return (isRenewed() || term.isPromise()) && phase == Phase.HELD && !isProtected();
    }

    /** Returns true if a thread may still use it: one that holds it, or one that is about to. */
    private boolean isClaimed() {
        return holders.isEmpty() ? acquirer.claims() : holders.stream().anyMatch(ThreadLock::claims);
    }

    /** Returns true if it is to be renewed now. What no thread claims is left to its ttl, and looked at again in case one joins. */
    boolean beginRenewal() {
        synchronized (guard) {
            boolean claimed = isRenewable() && (isClaimed() || term.isPromise());
            term = claimed ? term : term.retried(now());
            return claimed;
        }
    }

    /** Returns when its next renewal is due, or null if it is not renewed (any more, or at the moment). */
    @Nullable
    Long renewalDue() {
        synchronized (guard) {
            return isRenewable() && !term.isOver(now()) ? (Long) term.due() : null;
        }
    }

    /** Returns true if it will be lost unless it is renewed soon. */
    public boolean isAtRisk() {
        synchronized (guard) {
            return isRenewable() && (term.warned() || term.warningDue() - now() <= 0) && isClaimed();
        }
    }

    /** Notes the answer to a renewal to {@code ttl}. Only an answer that came before the lease expired makes it longer. */
    void renewal(Renewal outcome, Duration ttl, long sent, long answered) {
        switch (outcome) {
            case RENEWED -> renewed(acquirer.process.renewer.term(sent, ttl), answered);
            case LOST -> gone(GONE);
            case UNKNOWN -> renewalFailed("its row could not be reached");
        }
    }

    private void renewed(LeaseTerm next, long answered) {
        List<ThreadLock> losers;
        synchronized (guard) {
            losers = term.isOver(answered) ? lose(Phase.OVERDUE, LATE_ANSWER) : null;
            boolean shorter = isRenewed() && next.ttl() < term.ttl(); // sent before its ttl was extended
            term = isOpen() && !shorter && next.endsAfter(term) ? next : term;
        }
        ending.lost(this, losers);
    }

    void renewalFailed(String why) {
        LeaseTerm before;
        boolean warn;
        synchronized (guard) {
            before = term.retried(now());
            warn = phase == Phase.HELD && !isProtected() && !before.failed();
            term = warn ? before.withWarning(true) : before;
        }
        if (warn) {
            ending.atRisk(this, why, !before.warned());
        }
    }

    /** Returns an event of its latest grant. */
    LockEvent event(LockEvent.Type type) {
        synchronized (guard) {
            Duration held = budget.lasting(now());
            return ObservedLock.of(request)
                    .event(type, lease.mode(), lease.owner(), token(), acquirer.observation.waited(), held);
        }
    }

    /** Looks at the clock. @return when to look again, or null if nothing more can be seen there */
    @Nullable
    Long watch() {
        List<ThreadLock> losers;
        List<ThreadLock> last;
        boolean warn;
        Long next;
        synchronized (guard) {
            if (isOpen() && isProtected()) {
                return null;
            }
            long now = now(); // before it is looked at for a loss: what is over by then is lost
            last = isOpen() ? List.of() : List.copyOf(holders);
            losers = loseIfOverdue();
            warn = !term.warned() && isAtRisk();
            term = warn ? term.withWarning(false) : term;
            long look = isRenewable() && isClaimed() && !term.warned() ? term.warningDue() : term.end();
            next = term.isOver(now) ? null : (Long) look;
        }
        if (warn) {
            ending.atRisk(this, "its renewal is late", true);
        }
        ending.lost(this, losers);
        if (next == null && losers == null) { // an error kept a thread from ending it: it would have left the renewer
            ending.ended(this);
            last.forEach(ThreadLock::settle);
        }
        return next;
    }

    // ---- the commits it guards

    /** Suspends its renewal if the row lock of a transaction protects it: a renewal would have to wait for that. */
    void fenceOpened(OpenTransaction.OpenFence fence) {
        synchronized (guard) {
            fences.add(fence);
        }
    }

    void fenceClosed(OpenTransaction.OpenFence fence) {
        synchronized (guard) {
            fences.remove(fence);
        }
        acquirer.process.renewer.changed(this);
    }

    List<OpenTransaction.OpenFence> fences() {
        synchronized (guard) {
            return List.copyOf(fences);
        }
    }

    // ---- its loss

    /** Returns those to be notified of the loss, or null if it is lost or released already. */
    private @Nullable List<ThreadLock> lose(Phase how, String because) {
        if (!isOpen()) {
            return null;
        }
        phase = how;
        lostBecause = because;
        return List.copyOf(holders);
    }

    /** As {@link #lose}, if its term is over. To be followed by {@link LeaseEnding#lost} without the guard. */
    @Nullable
    List<ThreadLock> loseIfOverdue() {
        return isOpen() && term.isOver(now()) ? lose(Phase.OVERDUE, OVERDUE) : null;
    }

    /** Marks it lost, as it is gone in the database. A release or downgrade under way finds out by itself: a renewal may just come after it. */
    public void gone(String because) {
        List<ThreadLock> losers;
        synchronized (guard) {
            losers = phase == Phase.HELD ? lose(Phase.LOST, because) : null;
            phase = phase == Phase.OVERDUE ? Phase.LOST : phase;
        }
        ending.lost(this, losers);
    }

    // ---- its release

    /** Keeps it held that long from now, though it is released before. */
    public void keepFor(Duration atLeast) {
        synchronized (guard) {
            keptUntil = rest().compareTo(atLeast) < 0 ? now() + atLeast.toNanos() : keptUntil;
        }
    }

    /** Returns for how much longer it is kept. */
    Duration rest() {
        return Duration.ofNanos(Math.max(0, keptUntil - now()));
    }

    /** Begins its release. @return the phase whose end has to be sent to the store, or a final one */
    Phase beginRelease() {
        List<ThreadLock> losers;
        Phase before;
        synchronized (guard) {
            losers = loseIfOverdue();
            boolean kept = phase == Phase.OVERDUE && !rest().isZero();
            before = isOpen() ? Phase.HELD : kept ? Phase.LOST : phase;
            phase = before == Phase.HELD ? Phase.RELEASING : before == Phase.OVERDUE ? Phase.LOST : phase;
        }
        ending.lost(this, losers);
        return before;
    }

    /** Returns true if its term lasts: no other owner can have had it, though it may have been released. */
    boolean isInTerm() {
        return !term.isOver(now());
    }

    /** Ends its release. @return those that held it last */
    List<ThreadLock> released(boolean found) {
        synchronized (guard) {
            phase = found ? Phase.RELEASED : Phase.LOST;
            lostBecause = found ? null : GONE;
            return List.copyOf(holders);
        }
    }

    /** Begins to make it shared. @return false if it is lost, or to be kept for its minimum */
    boolean beginChange() {
        synchronized (guard) {
            boolean can = rest().isZero() && isHeld();
            phase = can ? Phase.CHANGING : phase;
            return can;
        }
    }

    /** Ends the change: it stays as it was, unless it is {@link #gone}. */
    void changed() {
        synchronized (guard) {
            phase = phase == Phase.CHANGING ? Phase.HELD : phase;
        }
    }

    /** Gives its place to the shared lease it has become. @return false if it was lost by our clock before: listeners may have been notified */
    boolean replacedBy(HeldLease shared, ThreadLock holder) {
        synchronized (guard) {
            boolean inTime = isHeld();
            if (inTime) {
                phase = Phase.RELEASED;
                shared.granted(holder);
                holder.holds(shared);
            }
            return inTime;
        }
    }
}
