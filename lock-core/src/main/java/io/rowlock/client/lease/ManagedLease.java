package io.rowlock.client.lease;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.LossInterrupts;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Downgrade;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease this process took, from the grant to its end: by release or by loss, whichever comes first, and once.
 *
 * <p>Thread-safe: {@code this} guards the state; the store and listeners are called without it.
 */
public final class ManagedLease {
    private static final Logger log = LoggerFactory.getLogger(ManagedLease.class);

    private static final String GONE = "it ran out, was taken over or was released by force";
    private static final String FORCED = "it was released by force";
    private static final String OVERDUE = "it was not renewed before it ran out";
    private static final String UNPROVEN = "the database did not say whether it became shared";

    private enum Phase {
        LIVE,
        RELEASED,
        LOST
    }

    private final Lease lease;
    private final ResolvedRequest terms;
    private final LeaseContext context;
    private final LeaseState state;
    private final LeaseListeners notices;
    private final LeaseReturn back;
    private final List<Runnable> endActions = new ArrayList<>();

    /** The token of its latest grant: the first has the lease's fence, each hand-off to a writer brings one more. */
    private final AtomicLong token;

    /** Held while a statement that moves the lease's end is on its way, so that their answers cannot be mixed up. */
    private final Semaphore moving = new Semaphore(1);

    /** Numbers these statements, so that one that comes late does not undo a later one. */
    private final AtomicLong changes = new AtomicLong();

    private Phase phase = Phase.LIVE;
    private final List<OpenFence> fences = new ArrayList<>(1);
    private boolean renewalEnded;

    /** @param sent when the statement was sent that took the lease */
    public ManagedLease(Lease lease, ResolvedRequest terms, LeaseContext context, long sent) {
        this.lease = lease;
        this.terms = terms;
        this.context = context;
        this.token = new AtomicLong(lease.fence());
        this.notices = new LeaseListeners(lease, this::token, terms, context, sent);
        this.back = new LeaseReturn(lease, terms, context, moving, changes);
        this.state = new LeaseState(
                sent, terms.ttl().toNanos(), terms.renewalInterval().toNanos());
    }

    public Lease lease() {
        return lease;
    }

    public LockStore store() {
        return terms.store();
    }

    /** The token of its latest grant. */
    public long token() {
        return token.get();
    }

    /**
     * Whether there is a token for one more grant to a writer.
     *
     * @param since no earlier than when the answer came that it was granted
     */
    public boolean hasTokenLeft(long since) {
        Duration held = Duration.ofNanos(Math.max(0, context.now() - since));
        return token.get() - lease.fence() < store().capabilities().handoffs().most(lease.fence(), held);
    }

    /** It is handed on to a writer. */
    public void nextToken() {
        token.incrementAndGet();
    }

    public ResolvedRequest terms() {
        return terms;
    }

    public synchronized boolean isHeld() {
        return phase == Phase.LIVE && state.isHeld(context.now());
    }

    public boolean isExclusive() {
        return lease.mode() == LockMode.EXCLUSIVE;
    }

    /** @return whether it may be handed to another thread: it is renewed in time, and not to be kept */
    public synchronized boolean isPassable() {
        return isHeld() && !back.isKept() && state.remaining(context.now()) >= state.ttl() / 2;
    }

    public synchronized Duration remaining() {
        return Duration.ofNanos(phase == Phase.LIVE ? state.remaining(context.now()) : 0);
    }

    /** It is handed out: from now on listeners are told of it. Until then it only keeps the key closed. */
    public void granted(Duration waited) {
        notices.handedOut(waited);
    }

    /** @return why it is lost, or null if it is not known to be */
    synchronized @Nullable String lostBecause() {
        if (phase == Phase.LIVE && !state.isHeld(context.now())) {
            return OVERDUE;
        }
        return phase == Phase.LOST ? state.lostBecause() : null;
    }

    public LockLostException lostException(String because) {
        return lostException(token(), because);
    }

    /** @param ofGrant the token of the grant that relied on it */
    public LockLostException lostException(long ofGrant, String because) {
        return new LockLostException(terms.name(), ofGrant, because);
    }

    // ---- renewal

    /** @return whether it is renewed as long as it is held */
    public synchronized boolean isRenewed() {
        return terms.renewal() && !renewalEnded;
    }

    /** From now on it is not renewed any more, so it runs out. */
    public void endRenewals() {
        synchronized (this) {
            renewalEnded = true;
        }
        context.leaseChanged(this);
    }

    /** @return whether it is not renewed and its time is over, so that it is over for good */
    public synchronized boolean hasRunOut() {
        return !isRenewed() && phase != Phase.RELEASED && state.hasRunOut(context.now());
    }

    /** @return whether one who asks for this would have less time than that */
    public synchronized boolean isShorterThan(Duration asked) {
        return asked.compareTo(isRenewed() ? ttl() : remaining()) > 0;
    }

    /** @return when its next renewal is due, or null if it is not renewed (any more, or at the moment) */
    synchronized @Nullable Long renewalDue() {
        boolean renewable = isRenewed() && phase == Phase.LIVE && fences.isEmpty();
        return renewable && state.isHeld(context.now()) ? state.nextRenewal() : null;
    }

    public synchronized Duration ttl() {
        return Duration.ofNanos(state.ttl());
    }

    /** @return whether the lease can be renewed now; then its ttl stays until {@link #endRenewal}, which must follow */
    boolean beginRenewal() {
        if (!moving.tryAcquire()) {
            return false;
        }
        if (renewalDue() == null) {
            moving.release();
            return false;
        }
        return true;
    }

    /** @return whether somebody moves its end, who in the end says {@link LeaseContext#leaseChanged} */
    boolean isMoving() {
        return moving.availablePermits() == 0;
    }

    void endRenewal() {
        moving.release();
    }

    synchronized boolean isEndKnown() {
        return state.isEndKnown();
    }

    /** Has it last for its ttl from now, whatever became of earlier calls that move its end. Between the two above. */
    Renewal settleEnd() {
        try {
            return terms.store().extend(lease, ttl(), changes.incrementAndGet());
        } catch (LockStoreException e) {
            return Renewal.UNKNOWN;
        }
    }

    /** The outcome of a renewal of this lease to its present ttl. */
    void renewal(Renewal outcome, long sent, long answered) {
        switch (outcome) {
            case RENEWED -> renewed(sent, answered, ttl());
            case LOST -> gone();
            case UNKNOWN -> renewalFailed("its row could not be reached");
        }
    }

    private void renewed(long sent, long answered, Duration ttl) {
        boolean inTime;
        synchronized (this) {
            if (phase != Phase.LIVE) {
                return;
            }
            inTime = state.renewed(
                    sent, answered, ttl.toNanos(), context.renewalInterval(ttl).toNanos());
        }
        if (!inTime) {
            lose("the answer to its renewal came too late");
        }
    }

    void renewalFailed(String why) {
        boolean first;
        synchronized (this) {
            if (phase != Phase.LIVE) {
                return;
            }
            state.renewalFailed(context.now());
            first = fences.isEmpty() && state.warn();
        }
        if (first) {
            notices.atRisk(why);
        }
    }

    /** @see io.rowlock.HeldLock#extend */
    public void extend(Duration ttl) {
        moving.acquireUninterruptibly();
        try {
            long sent = context.now();
            synchronized (this) {
                requireHeld();
                state.extending(sent, ttl.toNanos());
            }
            Renewal outcome = terms.store().extend(lease, ttl, changes.incrementAndGet());
            extended(outcome, sent, ttl);
        } finally {
            moving.release();
            context.leaseChanged(this);
        }
    }

    private void extended(Renewal outcome, long sent, Duration ttl) {
        switch (outcome) {
            case RENEWED -> renewed(sent, context.now(), ttl);
            case LOST -> gone();
            case UNKNOWN ->
                throw new LockStoreException(
                        "The lock \"%s\" was not extended: another transaction has its row locked"
                                .formatted(Printable.of(terms.name())),
                        null);
        }
        requireHeld();
    }

    /**
     * Becomes shared without a gap. This lease ends with it.
     *
     * @return the shared lease, looked after, or null if this one is lost, or stays: because it is to be kept for
     *     its minimum, or because its strategy cannot do it
     * @throws LockStoreException if the database could not be asked; then it is exclusive as before
     */
    @Nullable
    public ManagedLease downgrade() {
        if (back.isKept()) {
            return null;
        }
        moving.acquireUninterruptibly();
        try {
            if (!isHeld()) {
                return null;
            }
            ResolvedRequest shared = terms.shared(ttl(), context.renewalInterval(ttl()));
            long sent = context.now();
            return downgraded(shared, shared.leaseRequest(Duration.ZERO, ttl()), sent);
        } finally {
            moving.release();
        }
    }

    private @Nullable ManagedLease downgraded(ResolvedRequest shared, LeaseRequest request, long sent) {
        try {
            Downgrade outcome = new LeaseDowngrade(terms.store(), lease, token(), request, this::remaining).run();
            if (outcome instanceof Downgrade.Shared now) {
                return replacedBy(new ManagedLease(now.lease(), shared, context, sent));
            }
            if (outcome instanceof Downgrade.Lost) {
                gone();
            }
            return null;
        } catch (UncertainOutcomeException e) {
            log.debug("It is not known what became of \"{}\"", terms.name(), e);
            context.takeBack(shared, request);
            back.endLater(ttl());
            back.gone();
            lose(UNPROVEN);
            return null;
        }
    }

    /** What was lost by our clock before the answer came stays lost: listeners may have been told. */
    private @Nullable ManagedLease replacedBy(ManagedLease shared) {
        boolean inTime;
        synchronized (this) {
            inTime = isHeld();
            phase = inTime ? Phase.RELEASED : phase;
        }
        notices.moveTo(shared.notices);
        if (!inTime) {
            shared.release();
            return null;
        }
        back.givenBack();
        shared.granted(Duration.ZERO);
        context.keep(shared);
        ended();
        return shared;
    }

    /** @throws LockLostException if it is lost */
    public void requireNotLost() {
        String because = lostBecause();
        if (because != null) {
            throw lostException(because);
        }
    }

    /** @throws LockLostException if it is lost, or was released while somebody still relied on it, as at shutdown */
    public synchronized void requireHeld() {
        if (phase == Phase.RELEASED) {
            throw lostException("it was released");
        }
        requireNotLost();
    }

    /** As {@link #requireHeld}, before a commit that is refused otherwise. */
    public void requireHeldForCommit() {
        try {
            requireHeld();
        } catch (LockLostException e) {
            context.instruments().fenceRejected(terms);
            throw e;
        }
    }

    /** A commit is refused. */
    public LockLostException refusal(String because) {
        return refusal(token(), because);
    }

    /** @param ofGrant the token of the grant that relied on it */
    public LockLostException refusal(long ofGrant, String because) {
        context.instruments().fenceRejected(terms);
        return lostException(ofGrant, because);
    }

    /** @return how late its renewal is; zero if it is not renewed (any more, or at the moment) */
    public synchronized Duration renewalLag() {
        boolean renewed = isRenewed() && phase == Phase.LIVE && fences.isEmpty();
        return renewed ? Duration.ofNanos(state.lag(context.now())) : Duration.ZERO;
    }

    /** @return whether it will be lost unless it is renewed soon */
    public synchronized boolean isAtRisk() {
        boolean renewed = isRenewed() && phase == Phase.LIVE && fences.isEmpty();
        return renewed && (state.isWarned() || state.warningAt() - context.now() <= 0);
    }

    // ---- the watch

    /** Says what the clock says. @return when to look again, or null if there is nothing more to see */
    @Nullable
    Long watch() {
        boolean warn = false;
        synchronized (this) {
            if (phase != Phase.LIVE || !fences.isEmpty()) {
                return null;
            }
            long now = context.now();
            if (state.isHeld(now)) {
                boolean late = isRenewed() && state.warningAt() - now <= 0;
                warn = late && state.warn();
                if (!warn) {
                    return isRenewed() && !state.isWarned() ? state.warningAt() : state.deadline();
                }
            }
        }
        if (warn) {
            notices.atRisk("its renewal is late");
            return context.now();
        }
        lose(OVERDUE);
        return null;
    }

    // ---- the fence

    /** From here to {@link #fenceClosed} a transaction's row lock protects the lease, and no renewal must wait for it. */
    public synchronized void fenceOpened(OpenFence fence) {
        fences.add(fence);
    }

    public void fenceClosed(OpenFence fence) {
        synchronized (this) {
            fences.remove(fence);
        }
        context.leaseChanged(this);
    }

    /** @return the check of a transaction of the calling thread that is still open and protects the lease, or null */
    public synchronized Fence.@Nullable Pinned fenceOfCaller() {
        return fences.stream()
                .filter(OpenFence::isOfCaller)
                .map(OpenFence::check)
                .filter(Fence.Pinned::isOpen)
                .findFirst()
                .orElse(null);
    }

    /**
     * Asks the database whether the lease is lost, by renewing it, after something failed for which that may be the reason.
     *
     * @return whether it is; false if it cannot be asked
     */
    public boolean isFoundGone() {
        moving.acquireUninterruptibly();
        try {
            if (terms.store().renew(List.of(lease), ttl()).get(lease) == Renewal.LOST) {
                gone();
            }
        } catch (LockStoreException e) {
            log.debug("It could not be seen whether the lock \"{}\" is lost", Printable.of(terms.name()), e);
        } finally {
            moving.release();
            context.leaseChanged(this);
        }
        return lostBecause() != null;
    }

    // ---- the end

    /** Calls {@code action} once if the lease is lost, at once if it is lost already. */
    public void onLost(Consumer<LockEvent> action) {
        synchronized (this) {
            if (phase == Phase.LIVE) {
                notices.whenLost(action);
                return;
            }
        }
        if (lostBecause() != null) {
            notices.lostBefore(action);
        }
    }

    /** Interrupts {@code body} once if the lease is lost, at once if it is lost already. */
    public void interruptOnLost(LossInterrupts.Body body) {
        synchronized (this) {
            if (phase == Phase.LIVE) {
                notices.interruptWhenLost(body);
                return;
            }
        }
        if (lostBecause() != null) {
            notices.lostBefore(body);
        }
    }

    /** Calls {@code action} once when the lease ends either way, at once if it has ended. */
    public void onEnd(Runnable action) {
        synchronized (this) {
            if (phase == Phase.LIVE) {
                endActions.add(action);
                return;
            }
        }
        action.run();
    }

    /** Keeps the lease taken that long from now, though it is given up before. */
    public void keepFor(Duration atLeast) {
        back.keepFor(atLeast);
    }

    /** @return whether it was lost, even if that was found out only when it was to be given back */
    public synchronized boolean isGone() {
        return back.isGone() || phase == Phase.LOST;
    }

    /** @return whether it is or was lost, by the clock or by the database, rather than released */
    public boolean wasLost() {
        return lostBecause() != null || isGone();
    }

    /** @return whether the database was told that it is not needed any more */
    public boolean isGivenBack() {
        return back.isGivenBack();
    }

    /** Calls {@code action} once it turns out to have been given back, after {@link #release} has failed. */
    public void whenGivenBackLate(Runnable action) {
        back.whenGivenBackLate(action);
    }

    /** The database says that it is lost. */
    public void gone() {
        endedInDatabase(GONE);
    }

    /** Somebody has ended it in the database, whatever this process does with it. */
    public void forcedOut() {
        endedInDatabase(FORCED);
    }

    /** One that is being given back hears from its release what became of it: a renewal may just come too late to find it. */
    private void endedInDatabase(String because) {
        synchronized (this) {
            if (phase == Phase.RELEASED) {
                return;
            }
            back.gone();
        }
        lose(because);
    }

    private void lose(String because) {
        synchronized (this) {
            if (phase != Phase.LIVE) {
                return;
            }
            phase = Phase.LOST;
            state.lost(because);
        }
        notices.lost(because);
        ended();
    }

    /** Gives the lease back, unless it has ended. Whatever comes of it, it is not held any more. */
    public void release() {
        Phase found;
        if (OVERDUE.equals(lostBecause())) {
            lose(OVERDUE);
        }
        synchronized (this) {
            found = phase;
            phase = found == Phase.LIVE ? Phase.RELEASED : found;
        }
        // An interrupt is for the program; here it would only make the pool or the driver give up.
        boolean interrupted = Thread.interrupted();
        try {
            if (found == Phase.LIVE) {
                giveBack();
            } else if (found == Phase.LOST) {
                back.giveBackTheRest(ttl());
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized long deadline() {
        return state.deadline();
    }

    private void giveBack() {
        boolean wasGone = false;
        try {
            wasGone = !back.giveBack(ttl(), deadline());
        } finally {
            synchronized (this) {
                phase = wasGone ? Phase.LOST : phase;
            }
            ended();
        }
        if (wasGone) {
            notices.lost(GONE);
        }
    }

    private void ended() {
        context.leaseEnded(this);
        terms.store().queue().forget(lease);
        endActions.forEach(Runnable::run);
    }
}
