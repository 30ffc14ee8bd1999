package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockStoreException;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease this process took, from the grant to its end: by release or by loss, whichever comes first, and once.
 *
 * <p>Thread-safe: {@code this} guards the state; the store and listeners are called without it.
 */
final class ManagedLease {
    private static final Logger log = LoggerFactory.getLogger(ManagedLease.class);

    private static final String GONE = "it ran out, was taken over or was released by force";
    private static final String OVERDUE = "it was not renewed before it ran out";

    private enum Phase {
        LIVE,
        RELEASED,
        LOST
    }

    private final Lease lease;
    private final Terms terms;
    private final LeaseContext context;
    private final LeaseState state;
    private final long grantedAt;
    private final List<Consumer<LockEvent>> lostActions = new ArrayList<>();
    private final List<Runnable> endActions = new ArrayList<>();

    /** Held while a statement that moves the lease's end is on its way, so that their answers cannot be mixed up. */
    private final Semaphore moving = new Semaphore(1);

    private Phase phase = Phase.LIVE;
    private int openFences;
    private long waited;
    private long keepUntil;
    private boolean keep;

    /** @param sent when the statement was sent that took the lease */
    ManagedLease(Lease lease, Terms terms, LeaseContext context, long sent) {
        this.lease = lease;
        this.terms = terms;
        this.context = context;
        this.grantedAt = sent;
        this.state = new LeaseState(
                sent, terms.ttl().toNanos(), terms.renewalInterval().toNanos());
    }

    Lease lease() {
        return lease;
    }

    LockStore store() {
        return terms.store();
    }

    Terms terms() {
        return terms;
    }

    synchronized boolean isHeld() {
        return phase == Phase.LIVE && state.isHeld(context.now());
    }

    /** @return whether another thread may join in holding it at this time */
    synchronized boolean isJoinable(long until) {
        return isHeld() && until - context.now() > 0;
    }

    synchronized Duration remaining() {
        return Duration.ofNanos(phase == Phase.LIVE ? state.remaining(context.now()) : 0);
    }

    synchronized void waited(long nanos) {
        waited = nanos;
    }

    /** @return why it is lost, or null if it is not known to be */
    synchronized @Nullable String lostBecause() {
        if (phase == Phase.LIVE && !state.isHeld(context.now())) {
            return OVERDUE;
        }
        return phase == Phase.LOST ? state.lostBecause() : null;
    }

    LockLostException lostException(String because) {
        return new LockLostException(terms.name(), lease.fencingToken(), because);
    }

    // ---- renewal

    /** @return when its next renewal is due, or null if it is not renewed (any more, or at the moment) */
    synchronized @Nullable Long renewalDue() {
        boolean renewable = terms.renewal() && phase == Phase.LIVE && openFences == 0;
        return renewable && state.isHeld(context.now()) ? state.nextRenewal() : null;
    }

    synchronized Duration ttl() {
        return Duration.ofNanos(state.ttl());
    }

    /** @return whether the lease can be renewed now; then {@link #endRenewal} must follow */
    boolean beginRenewal() {
        return moving.tryAcquire();
    }

    void endRenewal() {
        moving.release();
    }

    /** The outcome of a renewal of this lease to its present ttl. */
    void renewal(Renewal outcome, long sent, long answered) {
        switch (outcome) {
            case RENEWED -> renewed(sent, answered, ttl());
            case LOST -> lose(GONE);
            case UNKNOWN -> renewalFailed("its row is locked by another transaction");
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
            first = state.warn();
        }
        if (first) {
            atRisk(why);
        }
    }

    private void atRisk(String why) {
        log.warn("The lock \"{}\" (token {}) is at risk: {}", terms.name(), lease.fencingToken(), why);
        context.tellLater(event(LockEvent.Type.AT_RISK), List.of());
    }

    /** @see io.rowlock.HeldLock#extend */
    void extend(Duration ttl) {
        moving.acquireUninterruptibly();
        try {
            long sent = context.now();
            synchronized (this) {
                requireHeld();
                state.mayEndAt(sent + ttl.toNanos());
            }
            Renewal outcome = terms.store().renew(List.of(lease), ttl).getOrDefault(lease, Renewal.UNKNOWN);
            extended(outcome, sent, ttl);
        } finally {
            moving.release();
        }
        context.leaseChanged(this);
    }

    private void extended(Renewal outcome, long sent, Duration ttl) {
        switch (outcome) {
            case RENEWED -> renewed(sent, context.now(), ttl);
            case LOST -> lose(GONE);
            case UNKNOWN ->
                throw new LockStoreException(
                        "The lock \"%s\" was not extended: another transaction has its row locked"
                                .formatted(terms.name()),
                        null);
        }
        synchronized (this) {
            requireHeld();
        }
    }

    /** @throws LockLostException if it is lost */
    void requireNotLost() {
        String because = lostBecause();
        if (because != null) {
            throw lostException(because);
        }
    }

    private void requireHeld() {
        if (phase == Phase.RELEASED) {
            throw lostException("it was released");
        }
        requireNotLost();
    }

    // ---- the watch

    /** Says what the clock says. @return when to look again, or null if there is nothing more to see */
    @Nullable
    Long watch() {
        boolean warn = false;
        synchronized (this) {
            if (phase != Phase.LIVE || openFences > 0) {
                return null;
            }
            long now = context.now();
            if (state.isHeld(now)) {
                boolean late = terms.renewal() && state.warningAt() - now <= 0;
                warn = late && state.warn();
                if (!warn) {
                    return terms.renewal() && !state.isWarned() ? state.warningAt() : state.deadline();
                }
            }
        }
        if (warn) {
            atRisk("its renewal is late");
            return context.now();
        }
        lose(OVERDUE);
        return null;
    }

    // ---- the fence

    /** From here to {@link #fenceClosed} a transaction's row lock protects the lease, and no renewal must wait for it. */
    synchronized void fenceOpened() {
        openFences++;
    }

    void fenceClosed() {
        synchronized (this) {
            openFences--;
        }
        context.leaseChanged(this);
    }

    // ---- the end

    /** Calls {@code action} once if the lease is lost, at once if it is lost already. */
    void onLost(Consumer<LockEvent> action) {
        synchronized (this) {
            if (phase == Phase.LIVE) {
                lostActions.add(action);
                return;
            }
        }
        if (lostBecause() != null) {
            context.callLater(event(LockEvent.Type.LOST), action);
        }
    }

    /** Calls {@code action} once when the lease ends either way, at once if it has ended. */
    void onEnd(Runnable action) {
        synchronized (this) {
            if (phase == Phase.LIVE) {
                endActions.add(action);
                return;
            }
        }
        action.run();
    }

    /** Keeps the lease taken this long after it is given up. */
    synchronized void keepUntil(long time) {
        if (!keep || time - keepUntil > 0) {
            keep = true;
            keepUntil = time;
        }
    }

    void lose(String because) {
        synchronized (this) {
            if (phase != Phase.LIVE) {
                return;
            }
            phase = Phase.LOST;
            state.lost(because);
        }
        log.warn("The lock \"{}\" (token {}) is lost: {}", terms.name(), lease.fencingToken(), because);
        context.tellLater(event(LockEvent.Type.LOST), lostActions);
        ended();
    }

    /** Gives the lease back, unless it has ended. Whatever comes of it, it is not held any more. */
    void release() {
        boolean kept;
        synchronized (this) {
            if (phase != Phase.LIVE) {
                return;
            }
            phase = Phase.RELEASED;
            kept = keep && keepUntil - context.now() > 0;
        }
        try {
            if (kept) {
                keepTaken();
            } else if (!terms.store().release(lease)) {
                log.debug("The lock \"{}\" (token {}) had ended before", terms.name(), lease.fencingToken());
            }
        } finally {
            ended();
        }
        context.tell(event(LockEvent.Type.RELEASED));
    }

    private void keepTaken() {
        moving.acquireUninterruptibly();
        try {
            long rest = Math.max(1_000, keepUntil - context.now());
            terms.store().renew(List.of(lease), Duration.ofNanos(rest));
        } finally {
            moving.release();
        }
    }

    private void ended() {
        context.leaseEnded(this);
        endActions.forEach(Runnable::run);
    }

    LockEvent event(LockEvent.Type type) {
        return new LockEvent(
                type,
                terms.name(),
                lease.mode(),
                terms.store().strategy(),
                lease.owner(),
                lease.fencingToken(),
                Duration.ofNanos(waited),
                Duration.ofNanos(context.now() - grantedAt),
                EventClock.now());
    }
}
