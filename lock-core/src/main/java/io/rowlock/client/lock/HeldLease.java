package io.rowlock.client.lock;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.ObservedLock;
import io.rowlock.client.event.Observers;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Downgrade;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease of this process, from the store's grant to its end, and the threads that hold it: readers together, others one after
 * another. Its {@link Phase} decides everything; the description of this package has the events that change it. RELEASED and LOST are
 * final.
 *
 * <p>Thread-safe. The {@link KeyQueue} of its key guards every field, as it guards all leases, waiters and holders of that key.
 * The store, listeners and other guards are never called under it.
 */
public final class HeldLease {
    static final String GONE = "it ran out, was taken over or was released by force";
    static final String FORCED = "it was released by force";
    static final String OVERDUE = "it was not renewed before it ran out";
    static final String UNPROVEN = "the database did not say whether it became shared";
    static final String LATE_ANSWER = "the answer to its renewal came too late";

    private static final Logger log = LoggerFactory.getLogger(HeldLease.class);

    /** The shortest time for which a store is asked to keep a lease. */
    private static final long SHORTEST_REST = 1_000;

    /** How long the store is asked which lease a downgrade has left, and how often. */
    private static final long LONGEST_QUESTION = Duration.ofSeconds(10).toNanos();

    private static final long PAUSE = Duration.ofMillis(100).toNanos();

    private enum Phase {
        HELD,
        /** It is held, and is just becoming shared. */
        CHANGING,
        /** Released here; the store has not confirmed it. */
        RELEASING,
        RELEASED,
        /** Lost by this process's clock only: the rest of it may last in the store. */
        OVERDUE,
        LOST
    }

    private final Lease lease;
    private final ResolvedRequest request;
    private final ThreadLock taker;
    private final KeyQueue guard;
    private final Handoff handoff;
    private final Observers observers;
    private final LeaseRenewer renewer;
    private final PendingReleases pending;
    private final long since;

    private Phase phase = Phase.HELD;
    private @Nullable String lostBecause;
    private LeaseTerm term;
    private long nextRenewal;
    private boolean warned;
    private long keptUntil;
    private final List<OpenFence> fences = new ArrayList<>(1);

    /** The threads that hold it. While it is released, and after its loss, those that held it last. */
    private final List<ThreadLock> holders = new ArrayList<>(1);

    /** The token of its latest grant: the first has the lease's fence, each hand-off to a writer brings one more. */
    private long token;

    private Turns turns;

    /** How long the thread waited that got it first. */
    private Duration waited = Duration.ZERO;

    /**
     * A transaction that has checked the lease and is not over.
     *
     * @param check asks on that transaction's connection
     */
    public record OpenFence(Thread thread, CommitCheck check) {
        private boolean protectsLease() {
            return check.protectsLease();
        }
    }

    /** How often it was handed on, and until when it may be; both begin anew at most {@link #MOST_PROLONGED} times. */
    private record Turns(long since, long until, int handedOn, int prolonged) {
        private static final int MOST_PROLONGED = 9;

        Turns next() {
            return new Turns(since, until, handedOn + 1, prolonged);
        }

        Turns anew(long end) {
            return new Turns(since, end, 0, prolonged + 1);
        }
    }

    /**
     * @param sent when the statement was sent that acquired it
     * @param promise how long it lasts, or null for its ttl
     * @param taker what asked for it
     */
    HeldLease(
            Lease lease,
            ResolvedRequest request,
            long sent,
            @Nullable Duration promise,
            ThreadLock taker,
            Handoff handoff,
            Observers observers,
            LeaseRenewer renewer,
            PendingReleases pending) {
        this.lease = lease;
        this.request = request;
        this.taker = taker;
        this.guard = taker.guard();
        this.handoff = handoff;
        this.observers = observers;
        this.renewer = renewer;
        this.pending = pending;
        this.token = lease.fence();
        this.keptUntil = sent;
        this.turns = new Turns(sent, sent, 0, 0);
        this.since = sent;
        LeaseTerm full = LeaseTerm.of(
                sent, request.ttl().toNanos(), request.renewalInterval().toNanos());
        this.term = promise == null ? full : full.promised(promise.toNanos());
        // A holder of a lease that is not renewed counts on all of its ttl at once.
        this.nextRenewal = request.renewal() ? term.renewalDue() : sent;
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

    /** Returns true if it is renewed as long as it is held. */
    public boolean isRenewed() {
        return request.renewal();
    }

    private Ticker ticker() {
        return observers.ticker();
    }

    private long now() {
        return ticker().nanoTime();
    }

    // ---- its state

    /** Returns true if it is neither released nor known to be lost, though its term may be over. */
    boolean isOpen() {
        return phase == Phase.HELD || phase == Phase.CHANGING;
    }

    private boolean isHeld(long now) {
        return isOpen() && !term.isOver(now);
    }

    public boolean isHeld() {
        synchronized (guard) {
            return isHeld(now());
        }
    }

    public Duration remaining() {
        synchronized (guard) {
            long now = now();
            return Duration.ofNanos(isHeld(now) ? term.remaining(now) : 0);
        }
    }

    public Duration ttl() {
        synchronized (guard) {
            return Duration.ofNanos(term.ttl());
        }
    }

    /** Returns true if a request for this ttl would get less time than that. */
    public boolean isShorterThan(Duration asked) {
        synchronized (guard) {
            return asked.compareTo(isRenewed() || term.isPromise() ? ttl() : remaining()) > 0;
        }
    }

    /** Returns the token of its latest grant. */
    public long token() {
        synchronized (guard) {
            return token;
        }
    }

    /** Returns true if it is or was lost, by the clock or by the database, rather than released. */
    public boolean wasLost() {
        return lostBecause() != null;
    }

    private @Nullable String lostBecause() {
        synchronized (guard) {
            return isOpen() && term.isOver(now()) ? OVERDUE : lostBecause;
        }
    }

    /** @throws LockLostException if it is lost */
    public void requireNotLost() {
        String because = lostBecause();
        if (because != null) {
            throw lostException(token(), because);
        }
    }

    /** @throws LockLostException if it is lost, or was released while a thread still relied on it, as at shutdown */
    public void requireHeld() {
        requireNotLost();
        synchronized (guard) {
            if (!isOpen()) {
                throw lostException(token, "it was released");
            }
        }
    }

    /** @param ofGrant the token of the grant that relied on it */
    public LockLostException lostException(long ofGrant, String because) {
        return new LockLostException(request.name(), ofGrant, because);
    }

    // ---- its holders; called by the queue of its key, under its guard

    /** Hands it out for the first time. Until then it only keeps the key closed, and no event tells of it. */
    void granted(ThreadLock first, Duration waitedFor) {
        long now = now();
        waited = waitedFor;
        turns = new Turns(now, now + handoff.maxTime().toNanos(), 0, 0);
        holders.add(first);
    }

    /** Returns true if a thread that asks for this may hold it, too, or next. */
    boolean admits(ResolvedRequest wanted) {
        return fits(wanted)
                && turns.until() - now() > 0
                && (holders.isEmpty()
                        ? turns.handedOn() < handoff.max() && isPassableTo(wanted)
                        : isRead() && wanted.mode() == LockMode.SHARED && isHeld(now()));
    }

    private boolean fits(ResolvedRequest wanted) {
        return wanted.ttl().toNanos() == term.ttl() && wanted.renewal() == isRenewed();
    }

    private boolean isRead() {
        return holders.get(0).request().mode() == LockMode.SHARED;
    }

    /** A lease that is not renewed would be shorter for the next holder than its request asks. */
    private boolean isPassableTo(ResolvedRequest wanted) {
        return wanted.renewal()
                && lease.mode().covers(wanted.mode())
                && isPassable()
                && (wanted.mode() == LockMode.SHARED || hasTokenLeft());
    }

    /** It is renewed in time, not kept for its minimum, and no transaction that relied on it is still to commit. */
    private boolean isPassable() {
        long now = now();
        return isHeld(now) && !isKept(now) && !isProtected() && term.isFresh(now);
    }

    private boolean hasTokenLeft() {
        Duration held = Duration.ofNanos(Math.max(0, now() - turns.since()));
        return token - lease.fence() < store().capabilities().handoffs().most(lease.fence(), held);
    }

    /** Returns true if only the limits of the hand-off, which can begin anew, keep a thread that asks for this from following. */
    boolean isOnlyLimitedFor(ResolvedRequest wanted) {
        return handoff.max() > 0
                && turns.prolonged() < Turns.MOST_PROLONGED
                && isExclusive()
                && fits(wanted)
                && isPassableTo(wanted);
    }

    /** Lets the limits of the hand-off begin anew. */
    void prolong() {
        turns = turns.anew(now() + handoff.maxTime().toNanos());
    }

    /** Adds a holder. The token changes only here, so never while a thread holds the lease. */
    void join(ThreadLock holder) {
        if (holder.request().mode() == LockMode.EXCLUSIVE) {
            token++;
        }
        turns = holders.isEmpty() ? turns.next() : turns;
        holders.add(holder);
    }

    void leave(ThreadLock holder) {
        holders.remove(holder);
    }

    /** Takes {@link #leave} back: nobody followed, so the thread is notified of what becomes of the lease. */
    void stay(ThreadLock holder) {
        holders.add(holder);
    }

    boolean isUsed() {
        return !holders.isEmpty();
    }

    // ---- its renewal

    private boolean isProtected() {
        return fences.stream().anyMatch(OpenFence::protectsLease);
    }

    private boolean isRenewable() {
        return (isRenewed() || term.isPromise()) && phase == Phase.HELD && !isProtected();
    }

    /** Returns true if a thread may still use it: one that holds it, or one that is about to. */
    private boolean isClaimed() {
        return holders.isEmpty() ? taker.asks() : holders.stream().anyMatch(ThreadLock::claims);
    }

    /** Returns true if it is to be renewed now. What no thread claims is left to its term, and looked at again in case one joins. */
    boolean beginRenewal() {
        synchronized (guard) {
            boolean renewable = isRenewable();
            boolean claimed = renewable && isClaimed();
            nextRenewal = renewable && !claimed ? now() + term.interval() / 4 : nextRenewal;
            return claimed;
        }
    }

    /** Returns when its next renewal is due, or null if it is not renewed (any more, or at the moment). */
    @Nullable
    Long renewalDue() {
        synchronized (guard) {
            return isRenewable() && !term.isOver(now()) ? nextRenewal : null;
        }
    }

    /** Returns how late its renewal is; zero if it is not renewed (any more, or at the moment). */
    public Duration renewalLag() {
        synchronized (guard) {
            return Duration.ofNanos(isRenewable() ? term.lag(now()) : 0);
        }
    }

    /** Returns true if it will be lost unless it is renewed soon. */
    public boolean isAtRisk() {
        synchronized (guard) {
            return isAtRisk(now());
        }
    }

    private boolean isAtRisk(long now) {
        return isRenewable() && (warned || term.warningDue() - now <= 0) && isClaimed();
    }

    /** Notes the answer to a renewal to {@code ttl}. Only an answer that came before the lease expired makes it longer. */
    void renewal(Renewal outcome, Duration ttl, long sent, long answered) {
        switch (outcome) {
            case RENEWED ->
                renewed(LeaseTerm.of(sent, ttl.toNanos(), renewer.interval(ttl).toNanos()), answered);
            case LOST -> gone();
            case UNKNOWN -> renewalFailed("its row could not be reached");
        }
    }

    private void renewed(LeaseTerm next, long answered) {
        List<ThreadLock> losers;
        synchronized (guard) {
            losers = term.isOver(answered) ? lose(Phase.OVERDUE, LATE_ANSWER) : null;
            boolean shorter = isRenewed() && next.ttl() < term.ttl(); // sent before its ttl was extended
            if (losers == null && isOpen() && !shorter && (next.endsAfter(term) || term.isPromise())) {
                term = next;
                nextRenewal = next.renewalDue();
                warned = false;
            }
        }
        lost(losers, LATE_ANSWER);
    }

    void renewalFailed(String why) {
        boolean warn;
        synchronized (guard) {
            nextRenewal = now() + term.interval() / 4;
            warn = phase == Phase.HELD && !isProtected() && !warned;
            warned |= warn;
        }
        if (warn) {
            atRisk(why);
        }
    }

    private void atRisk(String why) {
        guard.assertNotHeld();
        log.warn("The lock \"{}\" (token {}) is at risk: {}", Printable.of(request.name()), token(), why);
        if (isUsedNow()) {
            observers.atRisk(event(LockEvent.Type.AT_RISK), ObservedLock.of(request));
        }
    }

    private boolean isUsedNow() {
        synchronized (guard) {
            return isUsed();
        }
    }

    private LockEvent event(LockEvent.Type type) {
        synchronized (guard) {
            Duration age = Duration.ofNanos(now() - since);
            return request.event(type, lease.mode(), lease.owner(), token, waited, age);
        }
    }

    /** Looks at the clock. @return when to look again, or null if nothing more can be seen there */
    @Nullable
    Long watch() {
        List<ThreadLock> losers = null;
        boolean warn = false;
        boolean unfinished = false;
        Long next = null;
        synchronized (guard) {
            long now = now();
            if (!isOpen()) { // an error may have kept a thread from ending it: it would have left the renewer
                unfinished = term.isOver(now);
                next = unfinished ? null : (Long) term.end();
            } else if (!isProtected()) {
                losers = loseIfOverdue(now);
                warn = losers == null && !warned && isAtRisk(now);
                warned |= warn;
                next = losers != null ? null : isRenewable() && !warned ? (Long) term.warningDue() : (Long) term.end();
            }
        }
        if (warn) {
            atRisk("its renewal is late");
        }
        lost(losers, OVERDUE);
        if (unfinished) {
            ended();
        }
        return next;
    }

    /**
     * Makes it last at least {@code ttl} from now. One that is renewed never gets a shorter ttl than it has.
     *
     * @see io.rowlock.HeldLock#extend
     */
    public void extend(Duration ttl) {
        guard.assertNotHeld();
        Duration asked = isRenewed() && ttl.compareTo(ttl()) < 0 ? ttl() : ttl;
        requireHeld();
        long sent = now();
        Renewal outcome = store().renew(List.of(lease), asked).getOrDefault(lease, Renewal.UNKNOWN);
        if (outcome == Renewal.UNKNOWN) {
            throw new LockStoreException(
                    "The lock \"%s\" was not extended: another transaction has its row locked"
                            .formatted(Printable.of(request.name())),
                    null);
        }
        renewal(outcome, asked, sent, now());
        renewer.changed(this);
        requireExtended();
    }

    /** What becomes shared is another lease, which may not have been extended. */
    private void requireExtended() {
        requireHeld();
        synchronized (guard) {
            if (phase == Phase.CHANGING) {
                throw new LockStoreException(
                        "The lock \"%s\" was not extended: it is just becoming shared"
                                .formatted(Printable.of(request.name())),
                        null);
            }
        }
    }

    /**
     * Makes it last for its ttl, if it was only promised for a shorter time and that time is not enough.
     *
     * @throws LockLostException if it is lost
     * @throws LockStoreException if the database could not be asked
     */
    public void confirmFor(Duration needed) {
        boolean tooShort;
        synchronized (guard) {
            tooShort = term.isPromise() && remaining().compareTo(needed) < 0;
        }
        if (tooShort) {
            extend(ttl());
        }
    }

    // ---- the commits it guards

    /** Suspends its renewal if the row lock of a transaction protects it: a renewal would have to wait for that. */
    public void fenceOpened(OpenFence fence) {
        synchronized (guard) {
            fences.add(fence);
        }
    }

    public void fenceClosed(OpenFence fence) {
        synchronized (guard) {
            fences.remove(fence);
        }
        renewer.changed(this);
    }

    /** Returns the check of a transaction of the calling thread that is not over, if it can still be asked. */
    public Optional<CommitCheck> fenceOfCaller() {
        List<OpenFence> open;
        synchronized (guard) {
            open = List.copyOf(fences);
        }
        return open.stream()
                .filter(fence -> fence.thread() == Thread.currentThread())
                .map(OpenFence::check)
                .filter(CommitCheck::isOpen)
                .findFirst();
    }

    /** As {@link #requireHeld}, before a commit that is refused otherwise. */
    public void requireHeldForCommit() {
        try {
            requireHeld();
        } catch (LockLostException e) {
            observers.commitRefused(ObservedLock.of(request));
            throw e;
        }
    }

    /** Refuses a commit. */
    public LockLostException refusal(String because) {
        return refusal(token(), because);
    }

    /** @param ofGrant the token of the grant that relied on it */
    public LockLostException refusal(long ofGrant, String because) {
        guard.assertNotHeld();
        observers.commitRefused(ObservedLock.of(request));
        return lostException(ofGrant, because);
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

    /** As {@link #lose}, if its term is over. To be followed by {@link #lost} without the guard. */
    @Nullable
    List<ThreadLock> loseIfOverdue(long now) {
        return isOpen() && term.isOver(now) ? lose(Phase.OVERDUE, OVERDUE) : null;
    }

    /** Marks it lost: the database says that it is gone. */
    public void gone() {
        goneInDatabase(GONE);
    }

    /** Marks it lost: an operator ended it in the database. */
    public void forcedOut() {
        goneInDatabase(FORCED);
    }

    /** A release or downgrade that is on its way finds out by itself: a renewal may just come after it. */
    private void goneInDatabase(String because) {
        List<ThreadLock> losers;
        synchronized (guard) {
            losers = phase == Phase.HELD ? lose(Phase.LOST, because) : null;
            phase = phase == Phase.OVERDUE ? Phase.LOST : phase;
        }
        lost(losers, because);
    }

    /** Notifies its holders. To be called with what {@link #lose} returned. */
    void lost(@Nullable List<ThreadLock> losers, String because) {
        guard.assertNotHeld();
        if (losers != null) {
            report(losers, because);
            ended();
            losers.forEach(loser -> loser.leaseLost(this));
        }
    }

    private void report(List<ThreadLock> losers, String because) {
        guard.assertNotHeld();
        log.warn("The lock \"{}\" (token {}) is lost: {}", Printable.of(request.name()), token(), because);
        if (!losers.isEmpty()) {
            LockEvent event = lossEvent();
            losers.forEach(holder -> holder.interrupt(this, event));
            observers.lost(event, ObservedLock.of(request));
            losers.stream()
                    .flatMap(holder -> holder.lossListeners(this).stream())
                    .forEach(action -> observers.callLater(event, action));
        }
    }

    LockEvent lossEvent() {
        return event(LockEvent.Type.LOST);
    }

    /** Reports that it replaced a lease that had expired in the database. */
    void tookOver(ExpiredLease former) {
        guard.assertNotHeld();
        log.warn(
                "The lock \"{}\" (token {}) was not released by {}, and has run out",
                Printable.of(request.name()),
                former.lease().fence(),
                Printable.of(former.lease().owner()));
        Lease expired = former.lease();
        observers.expired(
                request.event(
                        LockEvent.Type.EXPIRED,
                        expired.mode(),
                        expired.owner(),
                        expired.fence(),
                        Duration.ZERO,
                        former.held()),
                expired);
    }

    // ---- its release

    /** Keeps it taken that long from now, though it is released before. */
    public void keepFor(Duration atLeast) {
        synchronized (guard) {
            long time = now() + atLeast.toNanos();
            keptUntil = time - keptUntil > 0 ? time : keptUntil;
        }
    }

    private boolean isKept(long now) {
        return keptUntil - now > 0;
    }

    private Duration rest() {
        synchronized (guard) {
            return Duration.ofNanos(Math.max(0, keptUntil - now()));
        }
    }

    /**
     * Releases the lease, unless it has ended. Whatever comes of it, it is not held any more.
     *
     * @throws LockStoreException if it is not known whether it is released; that is tried again in the background
     */
    public void release() {
        Phase before = beginRelease();
        if (before == Phase.OVERDUE) {
            releaseRest();
        } else if (before == Phase.HELD) {
            boolean released;
            try {
                released = sendRelease();
            } catch (RuntimeException | Error e) {
                releaseLater();
                throw e;
            } finally {
                ended();
            }
            confirm(released);
        }
    }

    /** Returns the phase whose end has to be sent to the store, or a final one. */
    private Phase beginRelease() {
        List<ThreadLock> losers;
        Phase before;
        synchronized (guard) {
            long now = now();
            losers = loseIfOverdue(now);
            before = isOpen() ? Phase.HELD : phase;
            if (before == Phase.HELD) {
                phase = Phase.RELEASING;
            } else if (before == Phase.OVERDUE && isKept(now)) {
                before = Phase.LOST;
            } else if (before == Phase.OVERDUE) {
                phase = Phase.LOST;
            }
        }
        lost(losers, OVERDUE);
        return before;
    }

    /** Ends it in the store, or at the end of its minimum. @return false if it was gone */
    private boolean sendRelease() {
        guard.assertNotHeld();
        Duration rest = rest();
        Duration kept = rest.isZero() ? rest : Duration.ofNanos(Math.max(SHORTEST_REST, rest.toNanos()));
        try (Uninterrupted now = new Uninterrupted()) {
            return store().release(lease, kept);
        }
    }

    /** Before the term is over no other owner can have had it: if it is gone then, the call without an answer has ended it. */
    private void releaseLater() {
        later(
                () -> {
                    boolean early;
                    synchronized (guard) {
                        early = !term.isOver(now());
                    }
                    if (sendRelease() || early) {
                        confirm(true);
                    }
                    return true;
                },
                ttl().plus(rest()));
    }

    private void confirm(boolean released) {
        guard.assertNotHeld();
        List<ThreadLock> last;
        synchronized (guard) {
            phase = released ? Phase.RELEASED : Phase.LOST;
            lostBecause = released ? null : GONE;
            last = List.copyOf(holders);
        }
        if (!released) {
            report(last, GONE);
        }
        last.forEach(holder -> {
            if (released) {
                holder.leaseReleased(this);
            } else {
                holder.leaseLost(this);
            }
        });
    }

    /** Lost by this process's clock, it may still last by the database's: waiters need not wait for the rest of it. */
    private void releaseRest() {
        guard.assertNotHeld();
        try {
            boolean unused = Uninterrupted.call(() -> store().release(lease, Duration.ZERO));
        } catch (LockStoreException e) {
            log.debug("The rest of the lost lock \"{}\" is released later", Printable.of(request.name()), e);
            abandon();
        }
    }

    /** Has it released in the background, for as long as it can last. */
    private void abandon() {
        later(
                () -> {
                    store().release(lease, Duration.ZERO);
                    return true;
                },
                ttl());
    }

    private void later(BooleanSupplier ending, Duration lasting) {
        pending.add(request, ending, lasting);
    }

    private void ended() {
        guard.assertNotHeld();
        try {
            store().queue().forget(lease);
        } finally {
            guard.ended(this);
            renewer.ended(this);
        }
    }

    // ---- its downgrade

    /**
     * Becomes shared without a gap. This lease ends with it.
     *
     * @return the shared lease, kept alive, or null if this one is lost, or stays: because it is to be kept for
     *     its minimum, or because its strategy cannot do it
     * @throws LockStoreException if the database could not be asked; then it is exclusive as before
     */
    @Nullable
    HeldLease downgrade(ThreadLock holder) {
        synchronized (guard) {
            long now = now();
            if (isKept(now) || !isHeld(now)) {
                return null;
            }
            phase = Phase.CHANGING;
        }
        ResolvedRequest shared = request.shared(ttl(), renewer.interval(ttl()));
        LeaseRequest attempt = shared.leaseRequest(Duration.ZERO, ttl());
        long sent = now();
        try {
            Downgrade outcome = Uninterrupted.call(() -> sendDowngrade(attempt));
            if (outcome instanceof Downgrade.Shared now) {
                return replacedBy(renewer.manage(now.lease(), shared, sent, null, holder, KeyQueue.NO_HANDOFF), holder);
            }
            changed(outcome instanceof Downgrade.Lost ? GONE : null);
        } catch (UncertainOutcomeException e) {
            log.debug("It is not known what became of \"{}\"", Printable.of(request.name()), e);
            pending.abandon(shared, attempt);
            abandon();
            changed(UNPROVEN);
        } catch (RuntimeException e) {
            changed(null);
            throw e;
        } finally {
            renewer.changed(this);
        }
        return null;
    }

    /**
     * Has the store make it shared. Without an answer it is asked again, with the same request, until it says which of the two
     * leases exists: an exclusive lease that may have become shared must not be handed on. That goes on for half of the term, since the
     * rest is needed if the lease can be kept.
     */
    private Downgrade sendDowngrade(LeaseRequest shared) {
        guard.assertNotHeld();
        try {
            return store().downgrade(lease, token(), shared);
        } catch (RuntimeException e) {
            if (!StoreAcquisition.isUncertain(e)) {
                throw e;
            }
            long end = now() + Math.min(LONGEST_QUESTION, remaining().toNanos() / 2);
            while (end - now() > 0) {
                try {
                    return store().downgrade(lease, token(), shared);
                } catch (RuntimeException again) {
                    LockSupport.parkNanos(PAUSE); // the rows may still be locked by the first call
                }
            }
            throw new UncertainOutcomeException("It is not known what became of the downgrade", e);
        }
    }

    /** Ends the change. With null the lease stays as it was; else that is why it is lost. */
    private void changed(@Nullable String lost) {
        List<ThreadLock> losers = null;
        synchronized (guard) {
            if (phase == Phase.CHANGING) {
                phase = Phase.HELD;
                losers = lost == null ? null : lose(Phase.LOST, lost);
            }
        }
        if (lost != null) {
            lost(losers, lost);
        }
    }

    /** What was lost by our clock before the answer came stays lost: listeners may have been notified. */
    private @Nullable HeldLease replacedBy(HeldLease shared, ThreadLock holder) {
        boolean inTime;
        synchronized (guard) {
            inTime = isHeld(now());
            if (inTime) {
                phase = Phase.RELEASED;
                shared.granted(holder, Duration.ZERO);
                holder.continues(shared);
            }
        }
        if (!inTime) {
            shared.release();
            return null;
        }
        renewer.keep(shared);
        ended();
        return shared;
    }
}
