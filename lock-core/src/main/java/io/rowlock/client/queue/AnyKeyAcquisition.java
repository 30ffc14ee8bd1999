package io.rowlock.client.queue;

import io.rowlock.LockStoreException;
import io.rowlock.client.lease.LeaseRenewer;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The turns of several keys of one strategy, to ask the database for any of them at once: nothing another thread of this
 * process does with one of these keys gets in between. Used by one thread; however it ends, all turns but that of the key
 * that was won are over when it is closed.
 */
public final class AnyKeyAcquisition implements AutoCloseable {
    private final Deadline deadline;
    private final LeaseRenewer keeper;
    private final LocalQueues lines;
    private final UncertainLeases leftovers;
    private final LockLog log;
    private final List<Taken> turns = new ArrayList<>();

    /** The turn of one key. */
    private record Taken(ResolvedRequest terms, LocalQueue line) {}

    /** A key that was won. Its turn is the lease's now. */
    public record Won(ResolvedRequest terms, LocalQueue line, ManagedLease lease) {}

    /** @param deadline one that is over: nothing is waited for */
    public AnyKeyAcquisition(
            Deadline deadline, LeaseRenewer keeper, LocalQueues lines, UncertainLeases leftovers, LockLog log) {
        this.deadline = deadline;
        this.keeper = keeper;
        this.lines = lines;
        this.leftovers = leftovers;
        this.log = log;
    }

    /**
     * Takes the turn of one more key, if nobody else in this process has it.
     *
     * @return why not, or null
     */
    public LocalQueue.Admission.@Nullable TimedOut add(ResolvedRequest terms) throws InterruptedException {
        LocalQueue line = lines.use(terms.id());
        LocalQueue.Admission admission = line.enter(terms, 0);
        if (admission instanceof LocalQueue.Admission.Turn) {
            turns.add(new Taken(terms, line));
            return null;
        }
        if (admission instanceof LocalQueue.Admission.Shut) {
            lines.leave(terms.id());
            throw keeper.shutDown();
        }
        if (admission instanceof LocalQueue.Admission.Joined joined) {
            joined.tenure().leave(); // that lease was about to be given back
        }
        lines.leave(terms.id());
        return admission instanceof LocalQueue.Admission.TimedOut timedOut ? timedOut : null;
    }

    public boolean isEmpty() {
        return turns.isEmpty();
    }

    /**
     * Asks for all of them.
     *
     * @return the key that was free; empty if none was
     * @throws LockStoreException if the database could not be asked
     */
    public Optional<Won> ask() throws InterruptedException {
        keeper.underway.begin();
        try {
            return askForAll();
        } finally {
            keeper.underway.end();
        }
    }

    private Optional<Won> askForAll() throws InterruptedException {
        keeper.requireOpen();
        LockStore store = turns.get(0).terms().store();
        for (Taken turn : turns) {
            leftovers.clear(turn.terms().id());
        }
        long sent = keeper.now();
        Attempt attempt = attempt(store, sent);
        if (attempt instanceof Attempt.Busy) {
            return Optional.empty();
        }
        Taken won = turnOf(StoreAcquisition.leaseOf(attempt));
        StoreAcquisition turn = new StoreAcquisition(won.terms(), deadline, keeper, won.line(), leftovers, log);
        ManagedLease lease = turn.leaseAfter(attempt, sent);
        if (lease == null) {
            return Optional.empty();
        }
        turns.remove(won);
        return Optional.of(new Won(won.terms(), won.line(), lease));
    }

    private Attempt attempt(LockStore store, long sent) {
        List<LeaseRequest> requests = turns.stream()
                .map(turn -> turn.terms().leaseRequest(deadline.waited(), Duration.ofNanos(deadline.nanosLeft())))
                .toList();
        turns.forEach(turn -> turn.line().asking(sent));
        try {
            Attempt attempt = store.tryAcquireAny(requests);
            turns.forEach(turn -> turn.line().answered());
            return attempt;
        } catch (RuntimeException e) {
            if (StoreAcquisition.isUncertain(e)) {
                takeBackAll(requests);
            }
            if (e instanceof LockStoreException outage) {
                turns.forEach(turn -> turn.line().failed(outage));
            }
            throw e;
        }
    }

    private void takeBackAll(List<LeaseRequest> requests) {
        for (int i = 0; i < requests.size(); i++) {
            leftovers.takeBack(turns.get(i).terms(), requests.get(i));
        }
    }

    private Taken turnOf(Lease lease) {
        return turns.stream()
                .filter(turn -> turn.terms().key().equals(lease.key()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        for (Taken turn : turns) {
            turn.line().endTurn();
            lines.leave(turn.terms().id());
        }
    }
}
