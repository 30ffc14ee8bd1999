package io.rowlock.client;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks the database for one key, for the one thread of this process whose turn it is, until it is granted or the
 * deadline is over. However it ends, nothing is left behind: what was taken and is not handed out is given back.
 */
final class Turn {
    private final Terms terms;
    private final Deadline deadline;
    private final LeaseKeeper keeper;
    private final KeyLine line;
    private final WaitStrategy waiting;
    private final Leftovers leftovers;

    Turn(Terms terms, Deadline deadline, LeaseKeeper keeper, KeyLine line, WaitStrategy waiting, Leftovers leftovers) {
        this.terms = terms;
        this.deadline = deadline;
        this.keeper = keeper;
        this.line = line;
        this.waiting = waiting;
        this.leftovers = leftovers;
    }

    /**
     * Takes the lease.
     *
     * @return it, looked after by the keeper
     * @throws LockNotAcquiredException if somebody else had it to the last
     * @throws LockStoreException if the database could not be asked
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    ManagedLease take() throws InterruptedException {
        leftovers.clear(line, terms.store());
        while (true) {
            keeper.requireOpen();
            long sent = keeper.now();
            Attempt attempt = attempt();
            line.answered();
            if (attempt instanceof Attempt.Busy busy) {
                pauseOrGiveUp(busy.holder());
            } else if (attempt instanceof Attempt.Granted granted) {
                ManagedLease lease = kept(granted.lease(), sent);
                if (lease.isHeld() && keeper.isOpen()) {
                    return lease;
                }
                tooLate(lease);
            } else if (attempt instanceof Attempt.Draining draining) {
                ManagedLease lease = kept(draining.lease(), sent);
                if (drained(lease)) {
                    return lease;
                }
                tooLate(lease);
            }
        }
    }

    private Attempt attempt() {
        LeaseRequest request = terms.leaseRequest(deadline.waited(), terms.ttl());
        line.asking(keeper.now());
        try {
            return terms.store().tryAcquire(request);
        } catch (UncertainOutcomeException e) {
            leftovers.add(terms, line, request);
            throw e;
        }
    }

    private ManagedLease kept(Lease lease, long sent) {
        ManagedLease managed = new ManagedLease(lease, terms, keeper, sent);
        if (managed.isHeld()) {
            keeper.keep(managed);
        }
        return managed;
    }

    /** The answer came after the lease it brought had ended, so somebody else may have had it since. */
    private void tooLate(ManagedLease lease) {
        lease.release();
        keeper.requireOpen();
        if (deadline.isOver()) {
            throw new LockStoreException(
                    "The lock \"%s\" was granted, but the answer came later than its ttl of %s; look at the server's load"
                            .formatted(terms.name(), terms.ttl()),
                    null);
        }
    }

    /** Waits until no reader is left, with newcomers kept out. */
    private boolean drained(ManagedLease lease) throws InterruptedException {
        try {
            while (lease.isHeld() && keeper.isOpen()) {
                if (terms.store().drained(lease.lease())) {
                    return lease.isHeld() && keeper.isOpen();
                }
                if (deadline.isOver()) {
                    lease.release(); // before it is asked who is in the way: not this one
                }
                pauseOrGiveUp(Optional.empty());
            }
            return false;
        } catch (RuntimeException | Error | InterruptedException e) {
            giveUp(lease, e);
            throw e;
        }
    }

    private static void giveUp(ManagedLease lease, Throwable thrown) {
        try {
            lease.release();
        } catch (RuntimeException e) {
            thrown.addSuppressed(e);
        }
    }

    private void pauseOrGiveUp(Optional<Holder> holder) throws InterruptedException {
        long left = deadline.nanosLeft();
        if (left <= 0) {
            String owner = holder.or(this::lookForHolder).map(Holder::owner).orElse(null);
            throw new LockNotAcquiredException(terms.name(), deadline.waited(), owner);
        }
        long useful = holder.map(other -> other.remaining().toNanos() + 1_000).orElse(left);
        waiting.await(terms.id(), Duration.ofNanos(Math.max(1, Math.min(left, useful))));
    }

    private Optional<Holder> lookForHolder() {
        return terms.store().holder(terms.key(), terms.mode());
    }
}
