package io.rowlock.client.lease;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.Observers;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Downgrade;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease this process took, from the grant to its end. {@link LeaseState} decides; this class guards it, sends what it
 * decides to the store, and notifies the listeners.
 *
 * <p>Thread-safe: {@code this} guards the state and the lists of actions; the store and listeners are called without it.
 */
public final class ManagedLease {
    private static final Logger log = LoggerFactory.getLogger(ManagedLease.class);

    /** The shortest time for which a store is asked to keep a lease. */
    private static final long SHORTEST_REST = 1_000;

    private final Lease lease;
    private final ResolvedRequest request;
    private final Ticker ticker;
    private final LeaseRenewer renewer;
    private final UncertainLeases uncertain;
    private final LeaseListeners listeners;
    private final LeaseState state;
    private final EndChanges endChanges;
    private final LateRelease lateRelease;
    private final List<Runnable> endActions = new ArrayList<>();

    /** The token of its latest grant: the first has the lease's fence, each hand-off to a writer brings one more. */
    private final AtomicLong token;

    /**
     * @param sent when the statement was sent that took the lease
     * @param promise how long it lasts, or null for its ttl
     */
    ManagedLease(
            Lease lease,
            ResolvedRequest request,
            long sent,
            @Nullable Duration promise,
            Observers observers,
            LeaseRenewer renewer,
            UncertainLeases uncertain) {
        this.lease = lease;
        this.request = request;
        this.ticker = observers.ticker();
        this.renewer = renewer;
        this.uncertain = uncertain;
        this.listeners = new LeaseListeners(lease, request, observers, sent);
        this.token = new AtomicLong(lease.fence());
        this.state = new LeaseState(
                sent, request.ttl().toNanos(), request.renewalInterval().toNanos(), request.renewal());
        if (promise != null) {
            state.promised(promise.toNanos());
        }
        this.endChanges = new EndChanges(request.store(), lease);
        this.lateRelease = new LateRelease(request, ticker, uncertain, () -> confirm(true), this::isReleaseConfirmed);
    }

    public Lease lease() {
        return lease;
    }

    public LockStore store() {
        return request.store();
    }

    public ResolvedRequest request() {
        return request;
    }

    public boolean isExclusive() {
        return lease.mode() == LockMode.EXCLUSIVE;
    }

    private long now() {
        return ticker.nanoTime();
    }

    // ---- the hand-off

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
        Duration held = Duration.ofNanos(Math.max(0, now() - since));
        return token.get() - lease.fence() < store().capabilities().handoffs().most(lease.fence(), held);
    }

    /** It is handed on to a writer. */
    public void nextToken() {
        token.incrementAndGet();
    }

    /** It is handed out: from now on listeners are notified of it. Until then it only keeps the key closed. */
    public void granted(Duration waited) {
        listeners.handedOut(waited);
    }

    /** It replaced a lease that had expired in the database. */
    public void tookOver(ExpiredLease former) {
        listeners.tookOver(former);
    }

    // ---- the state

    public synchronized boolean isHeld() {
        return state.isHeld(now());
    }

    /** @return whether it may be handed to another thread; see {@link LeaseState#isPassable} */
    public synchronized boolean isPassable() {
        return state.isPassable(now());
    }

    public synchronized Duration remaining() {
        return Duration.ofNanos(state.remaining(now()));
    }

    public synchronized Duration ttl() {
        return Duration.ofNanos(state.ttl());
    }

    /** @return whether it is renewed as long as it is held */
    public synchronized boolean isRenewed() {
        return state.isRenewed();
    }

    /** @return whether it is not renewed and its time is over, so that it will not come back */
    public synchronized boolean hasRunOut() {
        return state.hasRunOut(now());
    }

    /** @return whether a request for this ttl would get less time than that */
    public synchronized boolean isShorterThan(Duration asked) {
        return asked.compareTo(isRenewed() || state.isPromised() ? ttl() : remaining()) > 0;
    }

    /**
     * Makes it last for its ttl, if it was only promised for a shorter time and that time is not enough.
     *
     * @throws LockLostException if it is lost
     * @throws LockStoreException if the database could not be asked
     */
    public void confirmFor(Duration needed) {
        boolean tooShort;
        synchronized (this) {
            tooShort = state.isPromised() && remaining().compareTo(needed) < 0;
        }
        if (tooShort) {
            extend(ttl());
        }
    }

    /** @return how late its renewal is; zero if it is not renewed (any more, or at the moment) */
    public synchronized Duration renewalLag() {
        return Duration.ofNanos(state.lag(now()));
    }

    /** @return whether it will be lost unless it is renewed soon */
    public synchronized boolean isAtRisk() {
        return state.isAtRisk(now());
    }

    /** @return whether it was lost, even if only its release found that out */
    public synchronized boolean isGone() {
        return state.isGone();
    }

    /** @return whether it is or was lost, by the clock or by the database, rather than released */
    public synchronized boolean wasLost() {
        return state.isGone() || lostBecause() != null;
    }

    /** @return whether the database confirmed that it ended the lease for its holder */
    public synchronized boolean isReleaseConfirmed() {
        return state.isReleaseConfirmed();
    }

    private synchronized @Nullable String lostBecause() {
        return state.lostBecause(now());
    }

    /** @throws LockLostException if it is lost */
    public void requireNotLost() {
        String because = lostBecause();
        if (because != null) {
            throw lostException(token(), because);
        }
    }

    /** @throws LockLostException if it is lost, or was released while a thread still relied on it, as at shutdown */
    public synchronized void requireHeld() {
        if (state.isReleased()) {
            throw lostException(token(), "it was released");
        }
        requireNotLost();
    }

    /** @param ofGrant the token of the grant that relied on it */
    public LockLostException lostException(long ofGrant, String because) {
        return new LockLostException(request.name(), ofGrant, because);
    }

    // ---- the renewal

    /** From now on it is not renewed any more, so it expires. */
    public synchronized void endRenewals() {
        state.endRenewals();
    }

    /** @return when its next renewal is due, or null if it is not renewed (any more, or at the moment) */
    synchronized @Nullable Long renewalDue() {
        return state.renewalDue(now());
    }

    /** @return whether the lease can be renewed now; then its ttl stays until {@link #endRenewal}, which must follow */
    boolean beginRenewal() {
        if (!endChanges.tryBegin()) {
            return false;
        }
        if (renewalDue() == null) {
            endChanges.end();
            return false;
        }
        return true;
    }

    /** @return whether its end is being changed; what changes it calls {@link LeaseRenewer#changed} afterwards */
    boolean isEndChanging() {
        return endChanges.isUnderway();
    }

    void endRenewal() {
        endChanges.end();
    }

    synchronized boolean isEndKnown() {
        return state.isEndKnown();
    }

    /** Has it last for its ttl from now, whatever became of earlier calls that change its end. Between the two above. */
    Renewal settleEnd() {
        try {
            return endChanges.extend(ttl());
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
        boolean lost;
        synchronized (this) {
            lost = state.renewed(
                    sent, answered, ttl.toNanos(), renewer.interval(ttl).toNanos());
        }
        if (lost) {
            lost(LeaseState.LATE_ANSWER);
        }
    }

    void renewalFailed(String why) {
        boolean warn;
        synchronized (this) {
            warn = state.renewalFailed(now());
        }
        if (warn) {
            listeners.atRisk(token(), why);
        }
    }

    /** @see io.rowlock.HeldLock#extend */
    public void extend(Duration ttl) {
        endChanges.begin();
        try {
            long sent = now();
            synchronized (this) {
                requireHeld();
                state.extending(sent, ttl.toNanos());
            }
            extended(endChanges.extend(ttl), sent, ttl);
        } finally {
            endChanges.end();
            renewer.changed(this);
        }
    }

    private void extended(Renewal outcome, long sent, Duration ttl) {
        switch (outcome) {
            case RENEWED -> renewed(sent, now(), ttl);
            case LOST -> gone();
            case UNKNOWN -> throw rowLocked("extended");
        }
        requireHeld();
    }

    private LockStoreException rowLocked(String undone) {
        return new LockStoreException(
                "The lock \"%s\" was not %s: another transaction has its row locked"
                        .formatted(Printable.of(request.name()), undone),
                null);
    }

    /** Looks at the clock. @return when to look again, or null if nothing more can be seen there */
    @Nullable
    Long watch() {
        LeaseState.Alarm alarm;
        Long next;
        synchronized (this) {
            alarm = state.look(now());
            next = state.nextLook();
        }
        switch (alarm) {
            case NONE -> {}
            case AT_RISK -> listeners.atRisk(token(), "its renewal is late");
            case LOST -> lost(LeaseState.OVERDUE);
        }
        return next;
    }

    // ---- the fence

    /** From here to {@link #fenceClosed} a transaction checks the lease; if its row lock protects it, no renewal must wait for that. */
    public synchronized void fenceOpened(OpenFence fence) {
        state.fenceOpened(fence);
    }

    public void fenceClosed(OpenFence fence) {
        synchronized (this) {
            state.fenceClosed(fence);
        }
        renewer.changed(this);
    }

    /** @return the check of a transaction of the calling thread that is still open and has checked the lease, or null */
    public synchronized Fence.@Nullable Pinned fenceOfCaller() {
        return state.openFences().stream()
                .filter(OpenFence::isOfCaller)
                .map(OpenFence::check)
                .filter(Fence.Pinned::isOpen)
                .findFirst()
                .orElse(null);
    }

    /** As {@link #requireHeld}, before a commit that is refused otherwise. */
    public void requireHeldForCommit() {
        try {
            requireHeld();
        } catch (LockLostException e) {
            listeners.commitRefused();
            throw e;
        }
    }

    /** A commit is refused. */
    public LockLostException refusal(String because) {
        return refusal(token(), because);
    }

    /** @param ofGrant the token of the grant that relied on it */
    public LockLostException refusal(long ofGrant, String because) {
        listeners.commitRefused();
        return lostException(ofGrant, because);
    }

    /**
     * Asks the database whether the lease is lost, by renewing it, after something failed for which that may be the reason.
     *
     * @return whether it is; false if it cannot be asked
     */
    public boolean isFoundGone() {
        endChanges.begin();
        try {
            if (store().renew(List.of(lease), ttl()).get(lease) == Renewal.LOST) {
                gone();
            }
        } catch (LockStoreException e) {
            log.debug("It could not be seen whether the lock \"{}\" is lost", Printable.of(request.name()), e);
        } finally {
            endChanges.end();
            renewer.changed(this);
        }
        return lostBecause() != null;
    }

    // ---- the loss

    /** Calls {@code action} once if the lease is lost, at once if it is lost already. */
    public void onLost(Consumer<LockEvent> action) {
        synchronized (this) {
            if (state.isOpen()) {
                listeners.onLost(action);
                return;
            }
        }
        if (lostBecause() != null) {
            listeners.alreadyLost(token(), action);
        }
    }

    /**
     * Calls {@code action} once if the lease is lost, before all other listeners, on the thread that finds the loss.
     *
     * @return the event if the lease is lost already, so that {@code action} is not called
     */
    public Optional<LockEvent> onLostFirst(Consumer<LockEvent> action) {
        synchronized (this) {
            if (state.isOpen()) {
                listeners.onLostFirst(action);
                return Optional.empty();
            }
        }
        return Optional.ofNullable(lostBecause()).map(because -> listeners.lossEvent(token()));
    }

    /** The database says that it is lost. */
    public void gone() {
        goneInDatabase(LeaseState.GONE);
    }

    /** An operator ended it in the database. */
    public void forcedOut() {
        goneInDatabase(LeaseState.FORCED);
    }

    private void goneInDatabase(String because) {
        boolean lost;
        synchronized (this) {
            lost = state.goneInDatabase(because);
        }
        if (lost) {
            lost(because);
        }
    }

    private void lost(String because) {
        listeners.lost(token(), because);
        ended();
    }

    // ---- the end

    /** Calls {@code action} once when the lease ends either way, at once if it has ended. */
    public void onEnd(Runnable action) {
        synchronized (this) {
            if (state.isOpen()) {
                endActions.add(action);
                return;
            }
        }
        action.run();
    }

    /** Takes {@link #onEnd} back, unless the lease is lost. @return whether it is held */
    public synchronized boolean noLongerOnEnd(Runnable action) {
        boolean held = isHeld();
        if (held) {
            endActions.remove(action);
        }
        return held;
    }

    private void ended() {
        renewer.ended(this);
        store().queue().forget(lease);
        endActions.forEach(Runnable::run);
    }

    /** Calls {@code action} once the database has confirmed its end, after {@link #release} has failed; at once if it has. */
    public void onLateRelease(Runnable action) {
        lateRelease.onConfirmed(action);
    }

    /** Keeps the lease taken that long from now, though it is released before. */
    public synchronized void keepFor(Duration atLeast) {
        state.keepFor(atLeast.toNanos(), now());
    }

    /**
     * Releases the lease, unless it has ended. Whatever comes of it, it is not held any more.
     *
     * @throws LockStoreException if it is not known whether it is released; that is tried again in the background
     */
    public void release() {
        LeaseState.Release toDo = beginRelease();
        // An interrupt is for the program; here it would only make the pool or the driver give up.
        boolean interrupted = Thread.interrupted();
        boolean released = true;
        try {
            if (toDo == LeaseState.Release.SEND) {
                released = isKept() ? keepTaken() : store().release(lease);
                confirm(released);
            } else if (toDo == LeaseState.Release.SEND_REST) {
                releaseRest();
            }
        } catch (RuntimeException e) {
            if (toDo == LeaseState.Release.SEND) {
                releaseLater();
            }
            throw e;
        } finally {
            if (toDo == LeaseState.Release.SEND) {
                ended();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (!released) {
            listeners.lost(token(), LeaseState.GONE);
        }
    }

    private LeaseState.Release beginRelease() {
        boolean overdue;
        LeaseState.Release toDo;
        synchronized (this) {
            overdue = state.loseIfOverdue(now());
            toDo = state.release(now());
        }
        if (overdue) {
            lost(LeaseState.OVERDUE);
        }
        return toDo;
    }

    private synchronized void confirm(boolean released) {
        if (released) {
            state.releaseConfirmed();
        } else {
            state.foundGone();
        }
    }

    private synchronized boolean isKept() {
        return state.isKept(now());
    }

    private synchronized Duration rest() {
        return Duration.ofNanos(state.rest(now()));
    }

    private synchronized long deadline() {
        return state.deadline();
    }

    /** Has it last for the rest of its minimum. */
    private boolean keepTaken() {
        endChanges.begin();
        try {
            Duration rest = Duration.ofNanos(Math.max(SHORTEST_REST, rest().toNanos()));
            Renewal outcome = endChanges.release(rest);
            if (outcome == Renewal.UNKNOWN) {
                throw rowLocked("released");
            }
            return outcome == Renewal.RENEWED;
        } finally {
            endChanges.end();
        }
    }

    private void releaseLater() {
        lateRelease.repeat(() -> isKept() ? keepTaken() : store().release(lease), deadline(), ttl().plus(rest()));
    }

    /** Lost by this process's clock, it may still last by the database's: waiters need not wait for the rest of it. */
    private void releaseRest() {
        try {
            boolean unused = store().release(lease);
        } catch (LockStoreException e) {
            log.debug("The rest of the lost lock \"{}\" is released later", Printable.of(request.name()), e);
            endLater();
        }
    }

    /** Has it released in the background, for as long as it can last. */
    private void endLater() {
        uncertain.add(
                request,
                () -> {
                    store().release(lease);
                    return true;
                },
                ttl());
    }

    // ---- the downgrade

    /**
     * Becomes shared without a gap. This lease ends with it.
     *
     * @return the shared lease, kept alive, or null if this one is lost, or stays: because it is to be kept for
     *     its minimum, or because its strategy cannot do it
     * @throws LockStoreException if the database could not be asked; then it is exclusive as before
     */
    @Nullable
    public ManagedLease downgrade() {
        if (isKept()) {
            return null;
        }
        endChanges.begin();
        try {
            if (!isHeld()) {
                return null;
            }
            ResolvedRequest shared = request.shared(ttl(), renewer.interval(ttl()));
            long sent = now();
            return downgraded(shared, shared.leaseRequest(Duration.ZERO, ttl()), sent);
        } finally {
            endChanges.end();
            renewer.changed(this);
        }
    }

    private @Nullable ManagedLease downgraded(ResolvedRequest shared, LeaseRequest attempt, long sent) {
        try {
            Downgrade outcome = new LeaseDowngrade(store(), lease, token(), attempt, this::remaining).run();
            if (outcome instanceof Downgrade.Shared now) {
                return replacedBy(renewer.manage(now.lease(), shared, sent, null));
            }
            if (outcome instanceof Downgrade.Lost) {
                gone();
            }
            return null;
        } catch (UncertainOutcomeException e) {
            log.debug("It is not known what became of \"{}\"", request.name(), e);
            uncertain.abandon(shared, attempt);
            endLater();
            boolean lost;
            synchronized (this) {
                lost = state.abandon(LeaseState.UNPROVEN);
            }
            if (lost) {
                lost(LeaseState.UNPROVEN);
            }
            return null;
        }
    }

    /** What was lost by our clock before the answer came stays lost: listeners may have been notified. */
    private @Nullable ManagedLease replacedBy(ManagedLease shared) {
        boolean inTime;
        synchronized (this) {
            inTime = state.replaced(now());
        }
        listeners.moveTo(shared.listeners);
        if (!inTime) {
            shared.release();
            return null;
        }
        shared.granted(Duration.ZERO);
        renewer.keep(shared);
        ended();
        return shared;
    }
}
