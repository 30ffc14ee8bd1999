package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.store.LockLog;
import java.time.Duration;

/** Brings a thread its hold on one key: by entering one it has, by joining one, or by asking the database. Thread-safe. */
final class Acquirer {
    /** A shared lease takes newcomers for that long; then they ask anew, so a writer of another process gets its turn. */
    private static final long JOINABLE = Duration.ofMillis(100).toNanos();

    /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
    private static final long SILENCE = Duration.ofSeconds(2).toNanos();

    private final LeaseKeeper keeper;
    private final KeyLines lines;
    private final ThreadHolds holds;
    private final WaitStrategy waiting;
    private final Leftovers leftovers;
    private final LockLog log;

    Acquirer(
            LeaseKeeper keeper,
            KeyLines lines,
            ThreadHolds holds,
            WaitStrategy waiting,
            Leftovers leftovers,
            LockLog log) {
        this.keeper = keeper;
        this.lines = lines;
        this.holds = holds;
        this.waiting = waiting;
        this.leftovers = leftovers;
        this.log = log;
    }

    /**
     * Takes one key for the calling thread.
     *
     * @throws LockNotAcquiredException if somebody else had it until the deadline
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    Grant acquire(Terms terms, Deadline deadline) throws InterruptedException {
        Hold own = holds.ofCaller(terms.id());
        if (own != null && own.enter(terms.mode())) {
            return new Grant(own, terms);
        }
        Hold hold = hold(terms, lease(terms, deadline), deadline);
        hold.enter(terms.mode());
        hold.ownedByCaller();
        return new Grant(hold, terms);
    }

    private Hold hold(Terms terms, SharedLease lease, Deadline deadline) {
        try {
            return new Hold(terms, lease, holds, log, deadline.waited(), () -> lines.leave(terms.id()));
        } catch (LockStoreException e) {
            try {
                lease.leave();
            } catch (LockStoreException release) {
                e.addSuppressed(release);
            }
            lines.leave(terms.id());
            throw e;
        }
    }

    private SharedLease lease(Terms terms, Deadline deadline) throws InterruptedException {
        KeyLine line = lines.use(terms.id());
        boolean used = false;
        try {
            KeyLine.Admission admission = line.enter(terms, deadline.nanosLeft());
            SharedLease lease;
            if (admission instanceof KeyLine.Admission.Joined joined) {
                lease = joined.lease();
            } else if (admission instanceof KeyLine.Admission.TimedOut timedOut) {
                throw timedOut(terms, deadline, timedOut);
            } else {
                lease = withTurn(terms, deadline, line);
            }
            used = true;
            return lease;
        } finally {
            if (!used) {
                lines.leave(terms.id());
            }
        }
    }

    /** Somebody else in this process has the turn. Only if the database answers it can be said that the lock is busy. */
    private RuntimeException timedOut(Terms terms, Deadline deadline, KeyLine.Admission.TimedOut timedOut) {
        Long askedAt = timedOut.askedAt();
        boolean unanswered = askedAt != null && keeper.now() - askedAt > SILENCE;
        if (timedOut.outage() == null && !unanswered) {
            return new LockNotAcquiredException(terms.name(), deadline.waited(), terms.owner());
        }
        return new LockStoreException(
                "The lock \"%s\" was not acquired within %d ms, because the database does not answer"
                        .formatted(terms.name(), deadline.waited().toMillis()),
                timedOut.outage());
    }

    private SharedLease withTurn(Terms terms, Deadline deadline, KeyLine line) throws InterruptedException {
        ManagedLease lease = null;
        try {
            lease = new Turn(terms, deadline, keeper, line, waiting, leftovers).take();
        } catch (LockStoreException e) {
            line.failed(e);
            throw e;
        } finally {
            if (lease == null) {
                line.endTurn();
            }
        }
        lease.granted(deadline.nanosWaited());
        SharedLease shared = new SharedLease(lease, keeper.now() + JOINABLE);
        if (terms.mode() == LockMode.SHARED) {
            line.endTurn(shared);
        } else {
            lease.onEnd(line::endTurn);
        }
        lease.tellAcquired();
        return shared;
    }
}
