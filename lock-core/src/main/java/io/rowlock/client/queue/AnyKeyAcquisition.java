package io.rowlock.client.queue;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for any of several keys of one strategy at once. Meanwhile no other thread of this process asks for one of
 * them. Used by one thread; when it is closed, the stores of all keys but the one that was won are left to the next waiters.
 */
public final class AnyKeyAcquisition implements AutoCloseable {
    private final Deadline deadline;
    private final LocalQueues queues;
    private final StoreAccess access;
    private final List<Candidate> candidates = new ArrayList<>();

    /**
     * One of several requests.
     *
     * @param request what is asked for
     * @param keys its keys
     */
    public record Choice(LockRequest request, List<ResolvedRequest> keys) {
        /** In the same order, the choices that follow one another and can be asked for at once together. */
        public static List<List<Choice>> runs(List<Choice> all) {
            List<List<Choice>> runs = new ArrayList<>();
            for (Choice next : all) {
                List<Choice> last = runs.isEmpty() ? List.of() : runs.get(runs.size() - 1);
                if (!next.fits(last)) {
                    last = new ArrayList<>();
                    runs.add(last);
                }
                last.add(next);
            }
            return runs;
        }

        /** The one of a run that asked for a key. */
        public static LockRequest requestOf(List<Choice> run, String key) {
            return run.stream()
                    .filter(choice -> choice.key().name().equals(key))
                    .findFirst()
                    .orElseThrow()
                    .request();
        }

        private boolean fits(List<Choice> run) {
            if (run.isEmpty() || !isSimple() || !run.get(0).isSimple()) {
                return false;
            }
            ResolvedRequest first = run.get(0).key();
            return run.size() < first.store().capabilities().keysAtOnce()
                    && first.store() == key().store()
                    && first.ttl().equals(key().ttl())
                    && run.stream().noneMatch(other -> other.key().id().equals(key().id()));
        }

        private boolean isSimple() {
            return keys.size() == 1 && key().mode() == LockMode.EXCLUSIVE;
        }

        public ResolvedRequest key() {
            return keys.get(0);
        }
    }

    /** A key whose store this thread may ask. */
    private record Candidate(ResolvedRequest request, LocalQueue queue) {}

    /** A key that was won. Its lease keeps the store taken. */
    public record Won(ResolvedRequest request, LocalQueue queue, ManagedLease lease) {}

    /** @param deadline one that is over: it does not wait */
    public AnyKeyAcquisition(Deadline deadline, LocalQueues queues, StoreAccess access) {
        this.deadline = deadline;
        this.queues = queues;
        this.access = access;
    }

    /**
     * One more key, if no other thread of this process has it or asks for it.
     *
     * @return why it is left out, or null
     */
    public LocalQueue.Admission.@Nullable TimedOut add(ResolvedRequest request) throws InterruptedException {
        LocalQueue queue = queues.use(request.id());
        LocalQueue.Admission admission = queue.enter(request, 0);
        if (admission instanceof LocalQueue.Admission.AskStore) {
            candidates.add(new Candidate(request, queue));
            return null;
        }
        if (admission instanceof LocalQueue.Admission.Shut) {
            queues.leave(request.id());
            throw InFlightThreads.shutDown();
        }
        if (admission instanceof LocalQueue.Admission.Joined joined && queue.leave(joined.lease())) {
            joined.lease().lease().release(); // as its last holder was about to do
        }
        queues.leave(request.id());
        return admission instanceof LocalQueue.Admission.TimedOut timedOut ? timedOut : null;
    }

    public boolean isEmpty() {
        return candidates.isEmpty();
    }

    /**
     * Asks for all of them.
     *
     * @return the key that was free; empty if none was
     * @throws LockStoreException if the database could not be asked
     */
    public Optional<Won> ask() throws InterruptedException {
        access.inFlight().begin();
        try {
            return askForAll();
        } finally {
            access.inFlight().end();
        }
    }

    private Optional<Won> askForAll() throws InterruptedException {
        access.inFlight().requireOpen();
        LockStore store = candidates.get(0).request().store();
        for (Candidate candidate : candidates) {
            boolean unused = access.uncertain().clear(candidate.request().id());
        }
        while (!candidates.isEmpty()) {
            long sent = access.ticker().nanoTime();
            if (!(answer(store, sent) instanceof Attempt.Taken taken)) {
                return Optional.empty();
            }
            Candidate taker = candidateOf(taken.lease());
            ManagedLease lease = leaseOf(taker, taken, sent);
            candidates.remove(taker);
            if (lease != null) {
                return Optional.of(new Won(taker.request(), taker.queue(), lease));
            }
            leave(taker);
        }
        return Optional.empty();
    }

    /** @return null if it is of no use, as while readers are inside */
    private @Nullable ManagedLease leaseOf(Candidate taker, Attempt.Taken taken, long sent)
            throws InterruptedException {
        try {
            return new StoreAcquisition(taker.request(), deadline, taker.queue(), access).leaseAfter(taken, sent);
        } catch (LockInterruptedException e) {
            throw e;
        } catch (LockNotAcquiredException e) {
            return null;
        }
    }

    private void leave(Candidate candidate) {
        candidate.queue().releaseStore();
        queues.leave(candidate.request().id());
    }

    private Attempt answer(LockStore store, long sent) {
        List<LeaseRequest> asked = candidates.stream()
                .map(candidate ->
                        candidate.request().leaseRequest(deadline.waited(), Duration.ofNanos(deadline.nanosLeft())))
                .toList();
        candidates.forEach(candidate -> candidate.queue().asking(sent));
        try {
            Attempt answer = store.tryAcquireAny(asked);
            candidates.forEach(candidate -> candidate.queue().answered());
            return answer;
        } catch (RuntimeException e) {
            if (StoreAcquisition.isUncertain(e)) {
                abandonAll(asked);
            }
            if (e instanceof LockStoreException outage) {
                candidates.forEach(candidate -> candidate.queue().failed(outage));
            }
            throw e;
        }
    }

    private void abandonAll(List<LeaseRequest> asked) {
        for (int i = 0; i < asked.size(); i++) {
            access.uncertain().abandon(candidates.get(i).request(), asked.get(i));
        }
    }

    private Candidate candidateOf(Lease lease) {
        return candidates.stream()
                .filter(candidate -> candidate.request().key().equals(lease.key()))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        candidates.forEach(this::leave);
    }
}
