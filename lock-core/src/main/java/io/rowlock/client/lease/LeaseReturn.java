package io.rowlock.client.lease;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Lease;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How one lease is given back to the database, and what is known of that. If no answer came it is given back once more in the
 * background, until there is one or the lease has run out. Thread-safe.
 */
final class LeaseReturn {
    private static final Logger log = LoggerFactory.getLogger(LeaseReturn.class);
    private static final long SHORTEST = Duration.ofNanos(1_000).toNanos();

    private final Lease lease;
    private final ResolvedRequest terms;
    private final LeaseContext context;
    private final Semaphore moving;
    private final AtomicLong changes;
    private final List<Runnable> lateActions = new ArrayList<>();
    private boolean keep;
    private long keepUntil;
    private boolean gone;
    private boolean givenBack;

    /**
     * @param moving held while a statement that moves the lease's end is on its way
     * @param changes counts these statements
     */
    LeaseReturn(Lease lease, ResolvedRequest terms, LeaseContext context, Semaphore moving, AtomicLong changes) {
        this.lease = lease;
        this.terms = terms;
        this.context = context;
        this.moving = moving;
        this.changes = changes;
    }

    /** Keeps the lease taken that long from now, though it is given back before. */
    synchronized void keepFor(Duration atLeast) {
        long time = context.now() + atLeast.toNanos();
        if (!keep || time - keepUntil > 0) {
            keep = true;
            keepUntil = time;
        }
    }

    synchronized boolean isKept() {
        return keep && keepUntil - context.now() > 0;
    }

    /** The database has it no more. */
    synchronized void gone() {
        gone = true;
    }

    synchronized boolean isGone() {
        return gone;
    }

    /** The database was told that it is not needed any more. */
    synchronized void givenBack() {
        givenBack = true;
    }

    synchronized boolean isGivenBack() {
        return givenBack;
    }

    /** Calls {@code action} once the lease turns out to have been given back, after a failure to do so; at once if it has. */
    void whenGivenBackLate(Runnable action) {
        synchronized (this) {
            if (!givenBack) {
                lateActions.add(action);
                return;
            }
        }
        action.run();
    }

    /**
     * Gives a live lease back, or has it last for the rest of its minimum.
     *
     * @param ttl how long the lease can still last
     * @param deadline until when nobody else can have got it, by this process's clock
     * @return false if it had been lost
     * @throws LockStoreException if that is not known; it is tried again in the background
     */
    boolean giveBack(Duration ttl, long deadline) {
        boolean returned;
        try {
            returned = send();
        } catch (RuntimeException e) {
            context.endLater(terms, () -> giveBackAgain(deadline), ttl.plus(minimum()));
            throw e;
        }
        if (returned) {
            givenBack();
        } else {
            gone();
        }
        return returned;
    }

    private synchronized Duration minimum() {
        return Duration.ofNanos(keep ? Math.max(0, keepUntil - context.now()) : 0);
    }

    private boolean send() {
        return isKept() ? keepTaken() : terms.store().release(lease);
    }

    private boolean keepTaken() {
        moving.acquireUninterruptibly();
        try {
            long rest = Math.max(SHORTEST, minimum().toNanos());
            Renewal outcome = terms.store().release(lease, Duration.ofNanos(rest), changes.incrementAndGet());
            if (outcome == Renewal.UNKNOWN) {
                throw new LockStoreException(
                        "The lock \"%s\" was not given back: another transaction has its row locked"
                                .formatted(Printable.of(terms.name())),
                        null);
            }
            return outcome == Renewal.RENEWED;
        } finally {
            moving.release();
        }
    }

    /** Nobody else can have had it yet, so a lease that is not there any more was given back by the call without an answer. */
    private boolean giveBackAgain(long deadline) {
        boolean early = deadline - context.now() > 0;
        if (send() || early) {
            List<Runnable> actions;
            synchronized (this) {
                givenBack = true;
                actions = List.copyOf(lateActions);
                lateActions.clear();
            }
            actions.forEach(Runnable::run);
        }
        return true;
    }

    /**
     * Lost by our clock, it may still last by the database's: others need not wait for the rest of it.
     *
     * @param ttl how long the lease can still last
     */
    void giveBackTheRest(Duration ttl) {
        synchronized (this) {
            if (gone || isKept()) {
                return;
            }
            gone = true;
        }
        try {
            terms.store().release(lease);
        } catch (LockStoreException e) {
            log.debug("What is left of the lost lock \"{}\" is given back later", Printable.of(terms.name()), e);
            endLater(ttl);
        }
    }

    /** Has the lease released in the background, for as long as it can last. */
    void endLater(Duration ttl) {
        context.endLater(
                terms,
                () -> {
                    terms.store().release(lease);
                    return true;
                },
                ttl);
    }
}
