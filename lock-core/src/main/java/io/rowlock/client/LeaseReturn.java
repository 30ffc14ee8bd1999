package io.rowlock.client;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Lease;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How one lease is given back to the database, and what is known of that. Thread-safe. */
final class LeaseReturn {
    private static final Logger log = LoggerFactory.getLogger(LeaseReturn.class);
    private static final long SHORTEST = Duration.ofNanos(1_000).toNanos();

    private final Lease lease;
    private final Terms terms;
    private final LeaseContext context;
    private final Semaphore moving;
    private boolean keep;
    private long keepUntil;
    private boolean gone;
    private boolean givenBack;

    /** @param moving held while a statement that moves the lease's end is on its way */
    LeaseReturn(Lease lease, Terms terms, LeaseContext context, Semaphore moving) {
        this.lease = lease;
        this.terms = terms;
        this.context = context;
        this.moving = moving;
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

    /** Gives a live lease back, or has it last for the rest of its minimum. @return false if it had been lost */
    boolean giveBack() {
        boolean kept = isKept();
        if (kept) {
            keepTaken();
        }
        if (kept || terms.store().release(lease)) {
            givenBack();
            return true;
        }
        gone();
        return false;
    }

    private void keepTaken() {
        moving.acquireUninterruptibly();
        try {
            long rest = Math.max(SHORTEST, keepUntil - context.now());
            terms.store().releaseAfter(lease, Duration.ofNanos(rest));
        } finally {
            moving.release();
        }
    }

    /** Lost by our clock, it may still last by the database's: others need not wait for the rest of it. */
    void giveBackTheRest() {
        synchronized (this) {
            if (gone || isKept()) {
                return;
            }
            gone = true;
        }
        try {
            terms.store().release(lease);
        } catch (LockStoreException e) {
            log.debug("What is left of the lost lock \"{}\" ends with its ttl", Printable.of(terms.name()), e);
        }
    }
}
