package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import java.time.Duration;

/** Brings a thread its hold on one key: by entering one it has, by joining one, or by asking the database. Thread-safe. */
final class Acquirer {
    /** A shared lease takes newcomers for that long; then they ask anew, so a writer of another process gets its turn. */
    private static final long JOINABLE = Duration.ofMillis(100).toNanos();

    private final LeaseKeeper keeper;
    private final KeyLines lines;
    private final ThreadHolds holds;
    private final WaitStrategy waiting;
    private final Leftovers leftovers;

    Acquirer(LeaseKeeper keeper, KeyLines lines, ThreadHolds holds, WaitStrategy waiting, Leftovers leftovers) {
        this.keeper = keeper;
        this.lines = lines;
        this.holds = holds;
        this.waiting = waiting;
        this.leftovers = leftovers;
    }

    /**
     * Takes one key for the calling thread.
     *
     * @throws LockNotAcquiredException if somebody else had it until the deadline
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    Grant acquire(Terms terms, Deadline deadline) throws InterruptedException {
        Hold own = holds.ofCaller(terms.id());
        if (own != null) {
            if (!own.mode().covers(terms.mode())) {
                throw new IllegalStateException(
                        "The thread holds \"%s\" shared and asks for it exclusive: two that do so would wait for each other"
                                        .formatted(terms.name())
                                + " for ever, so a lock is never upgraded; release the shared one first");
            }
            if (own.enter()) {
                return new Grant(own, terms);
            }
        }
        Hold hold = new Hold(terms.id(), terms.mode(), lease(terms, deadline), holds, () -> lines.leave(terms.id()));
        hold.enter();
        hold.ownedByCaller();
        return new Grant(hold, terms);
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

    private static RuntimeException timedOut(Terms terms, Deadline deadline, KeyLine.Admission.TimedOut timedOut) {
        return timedOut.outage() == null
                ? new LockNotAcquiredException(terms.name(), deadline.waited(), terms.owner())
                : new LockStoreException(
                        "The lock \"%s\" was not acquired within %d ms, because the database does not answer"
                                .formatted(terms.name(), deadline.waited().toMillis()),
                        timedOut.outage());
    }

    private SharedLease withTurn(Terms terms, Deadline deadline, KeyLine line) throws InterruptedException {
        ManagedLease lease = null;
        try {
            lease = new Turn(terms, deadline, keeper, line, waiting, leftovers).take();
        } catch (LockStoreException e) {
            line.outage(e);
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
        keeper.tell(lease.event(LockEvent.Type.ACQUIRED));
        return shared;
    }
}
