package io.rowlock.client;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.AttemptNotices;
import io.rowlock.client.event.EventFactory;
import io.rowlock.client.event.LockInstrumentation;
import io.rowlock.client.lease.LeaseRenewer;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.queue.AnyKeyAcquisition;
import io.rowlock.client.queue.LocalQueue;
import io.rowlock.client.queue.LocalQueues;
import io.rowlock.client.queue.SharedLease;
import io.rowlock.client.queue.StoreAcquisition;
import io.rowlock.client.queue.UncertainLeases;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Brings a thread its hold on one key: by entering one it has, by joining one, or by asking the database. Thread-safe. */
final class LockAcquirer {
    /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
    private static final long SILENCE = Duration.ofSeconds(2).toNanos();

    private final LeaseRenewer keeper;
    private final LocalQueues lines;
    private final ThreadLocks holds;
    private final Handoff handoff;
    private final UncertainLeases leftovers;
    private final LockLog log;

    LockAcquirer(
            LeaseRenewer keeper,
            LocalQueues lines,
            ThreadLocks holds,
            Handoff handoff,
            UncertainLeases leftovers,
            LockLog log) {
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
    KeyHandle acquire(ResolvedRequest terms, Deadline deadline) throws InterruptedException {
        ThreadLock own = holdOfCaller(terms.id());
        if (own != null && own.enter(terms)) {
            return nested(own, terms);
        }
        LockInstrumentation.Waiting waiting = keeper.instruments().waiting(terms);
        return measured(waiting, () -> grant(terms, tenure(terms, deadline), deadline, waiting));
    }

    /** What the calling thread holds; not what it held without renewal until that ran out. */
    @Nullable
    ThreadLock holdOfCaller(LockId id) {
        ThreadLock own = holds.ofCaller(id);
        if (own != null && own.hasRunOut()) {
            own.drop();
            return null;
        }
        return own;
    }

    private static KeyHandle nested(ThreadLock own, ResolvedRequest terms) {
        KeyHandle grant = new KeyHandle(own, terms);
        try {
            own.extendFor(terms);
        } catch (RuntimeException | Error e) {
            grant.takeBack();
            throw e;
        }
        return grant;
    }

    private interface Attempted<T> {
        T run() throws InterruptedException;
    }

    /** Tells how a wait ended, unless it ended well. */
    private static <T> T measured(LockInstrumentation.Waiting waiting, Attempted<T> attempt)
            throws InterruptedException {
        try {
            return attempt.run();
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

    /**
     * Takes one of several keys for the calling thread, which holds none of them, without waiting.
     *
     * @param wanted exclusive ones of one strategy, with the same ttl; best first
     * @param deadline one that is over
     * @return empty if all are taken
     * @throws LockStoreException if it is not known whether they are
     */
    Optional<KeyHandle> acquireAny(List<ResolvedRequest> wanted, Deadline deadline) throws InterruptedException {
        LockInstrumentation.Waiting first = keeper.instruments().waiting(wanted.get(0));
        Optional<KeyHandle> won = measured(first, () -> anyOf(wanted, deadline));
        tellOutcomes(wanted, first, won.orElse(null), deadline);
        return won;
    }

    /** The keys before the one that was won were busy, those behind it were not needed. */
    private void tellOutcomes(
            List<ResolvedRequest> wanted,
            LockInstrumentation.Waiting first,
            @Nullable KeyHandle won,
            Deadline deadline) {
        for (int i = 0; i < wanted.size(); i++) {
            ResolvedRequest terms = wanted.get(i);
            LockInstrumentation.Waiting waiting =
                    i == 0 ? first : keeper.instruments().waiting(terms);
            if (won != null && won.key().equals(terms.name())) {
                waiting.acquired(won.fencingToken());
                return;
            }
            waiting.busy();
            new AttemptNotices(terms, keeper).busy("", deadline.waited());
        }
    }

    private Optional<KeyHandle> anyOf(List<ResolvedRequest> wanted, Deadline deadline) throws InterruptedException {
        try (AnyKeyAcquisition turns = new AnyKeyAcquisition(deadline, keeper, lines, leftovers, log)) {
            LockStoreException unknown = null;
            for (ResolvedRequest terms : wanted) {
                LocalQueue.Admission.TimedOut timedOut = turns.add(terms);
                if (timedOut != null && timedOut(terms, deadline, timedOut) instanceof LockStoreException failure) {
                    unknown = failure;
                }
            }
            Optional<AnyKeyAcquisition.Won> asked = turns.isEmpty() ? Optional.empty() : turns.ask();
            if (asked.isEmpty() && unknown != null) {
                throw unknown;
            }
            return asked.map(won -> {
                SharedLease tenure = tenure(won.lease(), won.line(), deadline);
                return grant(won.terms(), tenure, deadline, LockInstrumentation.Waiting.NONE);
            });
        }
    }

    private KeyHandle grant(
            ResolvedRequest terms, SharedLease tenure, Deadline deadline, LockInstrumentation.Waiting waiting) {
        ThreadLock hold = hold(terms, tenure, deadline);
        hold.enter(terms);
        hold.ownedByCaller();
        waiting.acquired(hold.token());
        hold.tellAcquired();
        return new KeyHandle(hold, terms);
    }

    private ThreadLock hold(ResolvedRequest terms, SharedLease tenure, Deadline deadline) {
        Duration waited = deadline.waited();
        try {
            EventFactory notices = new EventFactory(terms, keeper, keeper.now(), waited);
            return new ThreadLock(terms, tenure, holds, log, notices, () -> lines.leave(terms.id()));
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

    private SharedLease tenure(ResolvedRequest terms, Deadline deadline) throws InterruptedException {
        LocalQueue line = lines.use(terms.id());
        SharedLease tenure = null;
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
    private @Nullable SharedLease admitted(
            ResolvedRequest terms, Deadline deadline, LocalQueue line, LocalQueue.Admission admission)
            throws InterruptedException {
        if (admission instanceof LocalQueue.Admission.TimedOut timedOut) {
            throw timedOut(terms, deadline, timedOut);
        }
        if (admission instanceof LocalQueue.Admission.Shut) {
            throw keeper.shutDown();
        }
        if (!(admission instanceof LocalQueue.Admission.Joined joined)) {
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
    private RuntimeException timedOut(
            ResolvedRequest terms, Deadline deadline, LocalQueue.Admission.TimedOut timedOut) {
        Long askedAt = timedOut.askedAt();
        boolean unanswered = askedAt != null && keeper.now() - askedAt > SILENCE;
        if (timedOut.outage() == null && !unanswered) {
            return new LockNotAcquiredException(terms.name(), deadline.waited(), terms.owner());
        }
        return new LockStoreException(
                "The lock \"%s\" was not acquired within %d ms, because the database does not answer"
                        .formatted(Printable.of(terms.name()), deadline.waited().toMillis()),
                timedOut.outage());
    }

    private SharedLease withTurn(ResolvedRequest terms, Deadline deadline, LocalQueue line)
            throws InterruptedException {
        ManagedLease lease = null;
        try {
            lease = new StoreAcquisition(terms, deadline, keeper, line, leftovers, log).take();
        } catch (LockStoreException e) {
            line.failed(e);
            throw e;
        } finally {
            if (lease == null) {
                line.endTurn();
            }
        }
        return tenure(lease, line, deadline);
    }

    private SharedLease tenure(ManagedLease lease, LocalQueue line, Deadline deadline) {
        lease.granted(deadline.waited());
        SharedLease tenure = new SharedLease(lease, line, handoff, keeper);
        line.granted(tenure);
        return tenure;
    }
}
