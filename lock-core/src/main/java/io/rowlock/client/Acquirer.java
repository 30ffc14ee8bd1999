package io.rowlock.client;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.store.LockLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Brings a thread its hold on one key: by entering one it has, by joining one, or by asking the database. Thread-safe. */
final class Acquirer {
    /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
    private static final long SILENCE = Duration.ofSeconds(2).toNanos();

    private final LeaseKeeper keeper;
    private final KeyLines lines;
    private final ThreadHolds holds;
    private final Handoff handoff;
    private final Leftovers leftovers;
    private final LockLog log;

    Acquirer(LeaseKeeper keeper, KeyLines lines, ThreadHolds holds, Handoff handoff, Leftovers leftovers, LockLog log) {
        this.keeper = keeper;
        this.lines = lines;
        this.holds = holds;
        this.handoff = handoff;
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
        return new Grant(measured(terms, deadline), terms);
    }

    private Hold measured(Terms terms, Deadline deadline) throws InterruptedException {
        LockInstrumentation.Waiting waiting = keeper.instruments().waiting(terms);
        try {
            Hold hold = taken(terms, deadline);
            waiting.acquired(hold.lease().lease().fencingToken());
            return hold;
        } catch (LockNotAcquiredException e) {
            waiting.busy();
            throw e;
        } catch (InterruptedException e) {
            waiting.interrupted();
            throw e;
        } catch (RuntimeException | Error e) {
            waiting.failed(e);
            throw e;
        }
    }

    private Hold taken(Terms terms, Deadline deadline) throws InterruptedException {
        Hold hold = hold(terms, tenure(terms, deadline), deadline);
        hold.enter(terms.mode());
        hold.ownedByCaller();
        hold.tellAcquired();
        return hold;
    }

    private Hold hold(Terms terms, Tenure tenure, Deadline deadline) {
        Duration waited = deadline.waited();
        try {
            GrantNotices notices = new GrantNotices(terms, keeper, keeper.now(), waited);
            return new Hold(terms, tenure, holds, log, notices, () -> lines.leave(terms.id()));
        } catch (LockStoreException e) {
            try {
                tenure.leave();
            } catch (LockStoreException release) {
                e.addSuppressed(release);
            }
            lines.leave(terms.id());
            throw e;
        }
    }

    private Tenure tenure(Terms terms, Deadline deadline) throws InterruptedException {
        KeyLine line = lines.use(terms.id());
        Tenure tenure = null;
        try {
            while (tenure == null) {
                tenure = admitted(terms, deadline, line, line.enter(terms, deadline.nanosLeft()));
            }
            return tenure;
        } finally {
            if (tenure == null) {
                lines.leave(terms.id());
            }
        }
    }

    /** @return null if the lease was lost before the thread that was to follow woke up */
    private @Nullable Tenure admitted(Terms terms, Deadline deadline, KeyLine line, KeyLine.Admission admission)
            throws InterruptedException {
        if (admission instanceof KeyLine.Admission.TimedOut timedOut) {
            throw timedOut(terms, deadline, timedOut);
        }
        if (!(admission instanceof KeyLine.Admission.Joined joined)) {
            return withTurn(terms, deadline, line);
        }
        if (joined.tenure().lease().isHeld()) {
            keeper.instruments().handedOn(terms);
            return joined.tenure();
        }
        joined.tenure().leave();
        return null;
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

    private Tenure withTurn(Terms terms, Deadline deadline, KeyLine line) throws InterruptedException {
        ManagedLease lease = null;
        try {
            lease = new Turn(terms, deadline, keeper, line, leftovers).take();
        } catch (LockStoreException e) {
            line.failed(e);
            throw e;
        } finally {
            if (lease == null) {
                line.endTurn();
            }
        }
        lease.granted(deadline.waited());
        Tenure tenure = new Tenure(lease, line, handoff, keeper);
        line.granted(tenure);
        return tenure;
    }
}
