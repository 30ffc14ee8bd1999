package io.rowlock.client.queue;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.AttemptNotices;
import io.rowlock.client.lease.LeaseRenewer;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Attempt;
import io.rowlock.store.Backoff;
import io.rowlock.store.ConnectionsInUseException;
import io.rowlock.store.Drained;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockLog;
import io.rowlock.store.UncertainOutcomeException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the database for one key, for the one thread of this process whose turn it is, until it is granted or the
 * deadline is over. However it ends, nothing is left behind: what was taken and is not handed out is given back.
 */
public final class StoreAcquisition {
    private static final Duration SHORT = Duration.ofMillis(500);

    private final ResolvedRequest terms;
    private final Deadline deadline;
    private final LeaseRenewer keeper;
    private final LocalQueue line;
    private final UncertainLeases leftovers;
    private final LockLog log;
    private final AttemptNotices notices;
    private boolean foundBusy;
    private Optional<Holder> lastHolder = Optional.empty();

    public StoreAcquisition(
            ResolvedRequest terms,
            Deadline deadline,
            LeaseRenewer keeper,
            LocalQueue line,
            UncertainLeases leftovers,
            LockLog log) {
        this.terms = terms;
        this.deadline = deadline;
        this.keeper = keeper;
        this.line = line;
        this.leftovers = leftovers;
        this.log = log;
        this.notices = new AttemptNotices(terms, keeper);
    }

    /**
     * Takes the lease.
     *
     * @return it, looked after by the keeper
     * @throws LockNotAcquiredException if somebody else had it to the last
     * @throws LockStoreException if the database could not be asked
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    public ManagedLease take() throws InterruptedException {
        keeper.underway.begin();
        try {
            return takeOrLeaveNothing();
        } finally {
            keeper.underway.end();
        }
    }

    private ManagedLease takeOrLeaveNothing() throws InterruptedException {
        clearLeftovers();
        try (Approach approach = new Approach(terms)) {
            if (!deadline.isOver()) {
                Duration patience = Duration.ofNanos(deadline.nanosLeft());
                LeaseRequest request = terms.leaseRequest(deadline.waited(), patience);
                keeper.waits.await(() -> approach.beginInLine(request, patience));
            }
            ManagedLease lease = null;
            while (lease == null) {
                lease = attempt(approach);
            }
            return lease;
        }
    }

    /** While there is time, the attempt says whether the database answers. */
    private void clearLeftovers() {
        try {
            boolean unused = leftovers.clear(terms.id());
        } catch (LockStoreException e) {
            if (deadline.isOver()) {
                throw e;
            }
        }
    }

    /** Whether what had the key was left over of an earlier attempt of this process, and has ended now. */
    private boolean isInItsOwnWay() {
        try {
            return leftovers.clear(terms.id());
        } catch (LockStoreException e) {
            return false; // the background goes on
        }
    }

    private void await(Approach approach, Duration atMost) throws InterruptedException {
        LeaseRequest request = terms.leaseRequest(deadline.waited(), atMost);
        keeper.waits.await(() -> approach.await(request, atMost));
    }

    /** @return null if it is worth another attempt */
    private @Nullable ManagedLease attempt(Approach approach) throws InterruptedException {
        keeper.requireOpen();
        long sent = keeper.now();
        Attempt attempt;
        try {
            attempt = ask(approach);
        } catch (ConnectionsInUseException e) {
            await(approach, patienceForConnection(e));
            return null;
        }
        line.answered();
        if (attempt instanceof Attempt.Busy busy) {
            if (isInItsOwnWay()) {
                return null;
            }
            foundBusy = true;
            lastHolder = busy.holder();
            await(approach, patience(busy.holder()));
            return null;
        }
        return leaseAfter(attempt, sent);
    }

    /** To wait for a connection is to wait for the key, and ends with the same deadline. */
    private Duration patienceForConnection(ConnectionsInUseException reason) throws InterruptedException {
        boolean waits = deadline.patience() > 0;
        if (waits && Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!reason.databaseAnswers()) {
            line.failed(reason); // those behind must not be told that the key is busy
        }
        if (deadline.isOver()) {
            boolean busy = foundBusy || (waits && reason.byWaiters());
            throw busy && reason.databaseAnswers() ? busy(lastHolder) : reason;
        }
        return Duration.ofNanos(Math.max(1, deadline.nanosLeft()));
    }

    /**
     * The lease an attempt has brought, also one that was made for several keys at once.
     *
     * @param sent when the attempt was made
     * @return null if it is of no use, and worth another attempt
     */
    @Nullable
    ManagedLease leaseAfter(Attempt attempt, long sent) throws InterruptedException {
        boolean draining = attempt instanceof Attempt.Draining;
        ManagedLease lease = kept(leaseOf(attempt), sent);
        former(attempt).ifPresent(this::expired);
        if (draining ? drained(lease) : lease.isHeld() && keeper.isOpen()) {
            return lease;
        }
        tooLate(lease);
        return null;
    }

    static Lease leaseOf(Attempt attempt) {
        return attempt instanceof Attempt.Draining draining ? draining.lease() : ((Attempt.Granted) attempt).lease();
    }

    private static Optional<ExpiredLease> former(Attempt attempt) {
        return attempt instanceof Attempt.Draining draining ? draining.former() : ((Attempt.Granted) attempt).former();
    }

    private void expired(ExpiredLease former) {
        notices.expired(former);
        log.expired(terms.store().strategy(), former.lease());
    }

    private Attempt ask(Approach approach) {
        LeaseRequest request = terms.leaseRequest(deadline.waited(), Duration.ofNanos(deadline.nanosLeft()));
        line.asking(keeper.now());
        try {
            return approach.tryAcquire(request);
        } catch (RuntimeException e) {
            if (isUncertain(e)) {
                leftovers.takeBack(terms, request);
            }
            throw e;
        }
    }

    /** Whether an attempt that failed so may have taken something: no other error of a store says that it did not. */
    static boolean isUncertain(RuntimeException failure) {
        return failure instanceof UncertainOutcomeException || !(failure instanceof LockStoreException);
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
        giveBack(lease);
        keeper.requireOpen();
        if (deadline.isOver()) {
            throw new LockStoreException(
                    "The lock \"%s\" was granted, but the answer came later than its ttl of %s; look at the server's load"
                            .formatted(Printable.of(terms.name()), terms.ttl()),
                    null);
        }
    }

    /** In the background, because the caller's time may be over; but a client that is being closed has none any more. */
    private void giveBack(ManagedLease lease) {
        if (keeper.isOpen()) {
            leftovers.giveBack(lease);
        } else {
            lease.release();
        }
    }

    /** Waits until no reader is left, with newcomers kept out. */
    private boolean drained(ManagedLease lease) throws InterruptedException {
        Backoff pace = new Backoff();
        boolean in = false;
        try {
            while (!in && lease.isHeld() && keeper.isOpen()) {
                Drained drained = terms.store().drained(lease.lease());
                drained.expired().forEach(this::expired);
                in = drained.complete();
                if (!in) {
                    pause(pace, lease);
                }
            }
            return in && lease.isHeld() && keeper.isOpen();
        } catch (RuntimeException | Error | InterruptedException e) {
            giveBack(lease);
            throw e;
        }
    }

    private void pause(Backoff pace, ManagedLease lease) throws InterruptedException {
        if (deadline.isOver()) {
            throw busy(() -> {
                lease.release(); // before it is asked who is in the way: not this one
                return lookForHolder();
            });
        }
        keeper.waits.await(() -> pace.pause(Duration.ofNanos(deadline.nanosLeft())));
    }

    /** How long to wait for a key that is taken. */
    private Duration patience(Optional<Holder> holder) {
        long left = deadline.nanosLeft();
        if (left <= 0) {
            throw holder.isPresent() ? busy(holder) : busy(this::lookForHolder);
        }
        long useful = holder.map(other -> other.remaining().toNanos() + 1_000).orElse(left);
        return Duration.ofNanos(Math.max(1, Math.min(left, useful)));
    }

    /** Who has it is worth a question, but no further wait. */
    private LockNotAcquiredException busy(Supplier<Optional<Holder>> question) {
        return busy(leftovers.ask(question, SHORT).orElse(Optional.empty()));
    }

    private LockNotAcquiredException busy(Optional<Holder> holder) {
        return new LockNotAcquiredException(
                terms.name(), deadline.waited(), holder.map(Holder::owner).orElse(null));
    }

    private Optional<Holder> lookForHolder() {
        return terms.store().inspection().flatMap(inspection -> inspection.holder(terms.key(), terms.mode()));
    }
}
