package io.rowlock.client.lock;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.observe.LockInstrumentation.Incident;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Backoff;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends leases: asks the store to release them or to make them shared, and notifies all that have to know. The {@link HeldLease} decides
 * what is to be done; here it is done, without the guard of its key. Thread-safe.
 */
record LeaseEnding(Observers observers, LeaseRenewer renewer, PendingReleases pending) {
    private static final Logger log = LoggerFactory.getLogger(HeldLease.class);

    /** The shortest time for which a store is asked to keep a lease. */
    private static final long SHORTEST_REST = 1_000;

    /** The time for which the store is asked which lease a downgrade has left, again and again. */
    private static final long LONGEST_QUESTION = Duration.ofSeconds(10).toNanos();

    private static final Duration PAUSE = Duration.ofMillis(100);

    private long now() {
        return observers.ticker().nanoTime();
    }

    /** Keeps an interrupt for the program, where it would only make the pool or the driver give up; a virtual thread's socket is closed by one. */
    static final class Uninterrupted implements AutoCloseable {
        private final boolean interrupted = Thread.interrupted();

        /** Gives the interrupt back. */
        @Override
        public void close() {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- its loss

    /** @param first false if listeners were notified of the risk before */
    void atRisk(HeldLease lease, String why, boolean first) {
        lease.guard.assertNotHeld();
        DaemonThreads.warn(log, "The lock \"{}\" (token {}) is at risk: {}", name(lease), lease.token(), why);
        if (first && lease.isUsed()) {
            observers.endangered(Incident.AT_RISK, lease.event(LockEvent.Type.AT_RISK), ObservedLock.of(lease.request));
        }
    }

    /**
     * Notifies the holders of a lease that is lost.
     *
     * @param losers they, or null if it was lost or released before
     */
    void lost(HeldLease lease, @Nullable List<ThreadLock> losers) {
        lease.guard.assertNotHeld();
        if (losers != null) {
            report(lease, losers);
            ended(lease);
        }
    }

    /**
     * Returns the exception for a thread that finds its lease over. It is lost for good then, whatever its renewal comes to; while the row
     * lock of a transaction protects it, only once that has ended.
     */
    LockLostException foundOver(HeldLease lease, long token, String because) {
        Long unused = lease.watch();
        return new LockLostException(lease.request.name(), token, because);
    }

    private void report(HeldLease lease, List<ThreadLock> losers) {
        DaemonThreads.warn(
                log, "The lock \"{}\" (token {}) is lost: {}", name(lease), lease.token(), lease.lostBecause());
        if (!losers.isEmpty()) {
            LockEvent event = lease.event(LockEvent.Type.LOST);
            losers.forEach(holder -> holder.leaseLost(lease, event));
            observers.endangered(Incident.LOST, event, ObservedLock.of(lease.request));
        }
    }

    private static String name(HeldLease lease) {
        return Printable.of(lease.request.name());
    }

    // ---- its release

    /**
     * Releases a lease, unless it has ended. Whatever comes of it, it is not held any more.
     *
     * @throws LockStoreException if it is not known whether it is released; that is tried again in the background
     */
    void release(HeldLease lease) {
        switch (lease.beginRelease()) {
            case OVERDUE -> releaseRest(lease);
            case HELD -> {
                boolean released;
                try {
                    released = sendRelease(lease);
                } catch (RuntimeException | Error e) {
                    releaseLater(lease);
                    throw e;
                } finally {
                    ended(lease);
                }
                confirm(lease, released);
            }
            default -> {} // it has ended, or is just being released
        }
    }

    /** Ends it in the store, or at the end of its minimum. @return false if it was gone */
    private static boolean sendRelease(HeldLease lease) {
        lease.guard.assertNotHeld();
        Duration rest = lease.rest();
        Duration kept = rest.isZero() ? rest : Duration.ofNanos(Math.max(SHORTEST_REST, rest.toNanos()));
        try (Uninterrupted now = new Uninterrupted()) {
            return lease.store().release(lease.lease(), kept);
        }
    }

    /** Before the term is over no other owner can have had it: if it is gone then, the call without an answer has ended it. */
    private void releaseLater(HeldLease lease) {
        pending.add(
                lease.request,
                () -> {
                    boolean early = lease.isInTerm();
                    if (sendRelease(lease) || early) {
                        confirm(lease, true);
                    }
                    return true;
                },
                lease.ttl().plus(lease.rest()));
    }

    private void confirm(HeldLease lease, boolean released) {
        lease.guard.assertNotHeld();
        List<ThreadLock> last = lease.released(released);
        if (released) {
            last.forEach(holder -> holder.leaseReleased(lease));
        } else {
            report(lease, last);
        }
    }

    /** Releases a lost lease in the background: waiters need not wait for the rest that it may still last by the database's clock. */
    private void releaseRest(HeldLease lease) {
        pending.add(
                lease.request,
                () -> {
                    lease.store().release(lease.lease(), Duration.ZERO);
                    return true;
                },
                lease.ttl());
    }

    /** Lets the next thread that wants the key ask for it. */
    void ended(HeldLease lease) {
        lease.guard.assertNotHeld();
        try {
            lease.store().queue().forget(lease.lease());
        } finally {
            lease.guard.ended(lease);
            renewer.ended(lease);
        }
    }

    // ---- its downgrade

    /**
     * Makes a lease shared without a gap, which ends it.
     *
     * @return the shared lease, kept alive, or null if this one is lost, or stays: because it is to be kept for
     *     its minimum, or because its strategy cannot do it
     * @throws LockStoreException if the database could not be asked; then it is exclusive as before
     */
    @Nullable
    HeldLease downgrade(HeldLease lease, ThreadLock holder) {
        if (!lease.beginChange()) {
            return null;
        }
        Duration ttl = lease.ttl();
        ResolvedRequest shared = lease.request.shared(ttl);
        LeaseRequest attempt = shared.leaseRequest(ttl);
        long sent = now();
        try {
            Downgrade outcome;
            try {
                outcome = sendDowngrade(lease, attempt);
            } catch (Error e) { // which may have come before the statement or after it
                unproven(lease, shared, attempt, e);
                throw e;
            }
            if (outcome instanceof Downgrade.Shared shown) {
                HeldLease next = new HeldLease(shown.lease(), shared, sent, null, holder);
                if (lease.replacedBy(next, holder)) {
                    renewer.keep(next);
                    ended(lease);
                    return next;
                }
                release(next);
                return null;
            }
            lease.changed();
            if (outcome instanceof Downgrade.Lost) {
                lease.gone(HeldLease.GONE);
            }
        } catch (UncertainOutcomeException e) {
            unproven(lease, shared, attempt, e);
        } catch (RuntimeException e) {
            lease.changed();
            throw e;
        } finally {
            renewer.changed(lease);
        }
        return null;
    }

    private void unproven(HeldLease lease, ResolvedRequest shared, LeaseRequest attempt, Throwable why) {
        try {
            pending.abandon(shared, attempt);
            releaseRest(lease);
        } finally {
            lease.changed();
            lease.gone(HeldLease.UNPROVEN);
        }
        log.debug("It is not known what became of \"{}\"", name(lease), why);
    }

    /**
     * Asks the store to make it shared. Without an answer it is asked again, with the same request, until it says which of the two
     * leases exists: an exclusive lease that may have become shared must not be handed on. That goes on for half of the term, since the
     * rest is needed if the lease can be kept.
     */
    private Downgrade sendDowngrade(HeldLease lease, LeaseRequest shared) {
        try {
            return ask(lease, shared);
        } catch (RuntimeException e) {
            if (!StoreAcquisition.isUncertain(e)) {
                throw e;
            }
            long end = now() + Math.min(LONGEST_QUESTION, lease.remaining().toNanos() / 2);
            while (end - now() > 0) {
                try {
                    return ask(lease, shared);
                } catch (RuntimeException again) {
                    Backoff.pauseUninterrupted(PAUSE); // the rows may still be locked by the first call
                }
            }
            throw new UncertainOutcomeException("It is not known what became of the downgrade", e);
        }
    }

    private static Downgrade ask(HeldLease lease, LeaseRequest shared) {
        lease.guard.assertNotHeld();
        try (Uninterrupted now = new Uninterrupted()) {
            return lease.store().downgrade(lease.lease(), lease.token(), shared);
        }
    }
}
