package io.rowlock.client;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
        Hold own = holdOfCaller(terms.id());
        if (own != null && own.enter(terms)) {
            return nested(own, terms);
        }
        LockInstrumentation.Waiting waiting = keeper.instruments().waiting(terms);
        return measured(waiting, () -> grant(terms, tenure(terms, deadline), deadline, waiting));
    }

    /** What the calling thread holds; not what it held without renewal until that ran out. */
    @Nullable
    Hold holdOfCaller(LockId id) {
        Hold own = holds.ofCaller(id);
        if (own != null && own.hasRunOut()) {
            own.drop();
            return null;
        }
        return own;
    }

    private static Grant nested(Hold own, Terms terms) {
        Grant grant = new Grant(own, terms);
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
    Optional<Grant> acquireAny(List<Terms> wanted, Deadline deadline) throws InterruptedException {
        LockInstrumentation.Waiting first = keeper.instruments().waiting(wanted.get(0));
        Optional<Grant> won = measured(first, () -> anyOf(wanted, deadline));
        tellOutcomes(wanted, first, won.orElse(null), deadline);
        return won;
    }

    /** The keys before the one that was won were busy, those behind it were not needed. */
    private void tellOutcomes(
            List<Terms> wanted, LockInstrumentation.Waiting first, @Nullable Grant won, Deadline deadline) {
        for (int i = 0; i < wanted.size(); i++) {
            Terms terms = wanted.get(i);
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

    private Optional<Grant> anyOf(List<Terms> wanted, Deadline deadline) throws InterruptedException {
        try (Turns turns = new Turns(deadline, keeper, lines, leftovers, log)) {
            LockStoreException unknown = null;
            for (Terms terms : wanted) {
                KeyLine.Admission.TimedOut timedOut = turns.add(terms);
                if (timedOut != null && timedOut(terms, deadline, timedOut) instanceof LockStoreException failure) {
                    unknown = failure;
                }
            }
            Optional<Turns.Won> asked = turns.isEmpty() ? Optional.empty() : turns.ask();
            if (asked.isEmpty() && unknown != null) {
                throw unknown;
            }
            return asked.map(won -> {
                Tenure tenure = tenure(won.lease(), won.line(), deadline);
                return grant(won.terms(), tenure, deadline, LockInstrumentation.Waiting.NONE);
            });
        }
    }

    private Grant grant(Terms terms, Tenure tenure, Deadline deadline, LockInstrumentation.Waiting waiting) {
        Hold hold = hold(terms, tenure, deadline);
        hold.enter(terms);
        hold.ownedByCaller();
        waiting.acquired(hold.token());
        hold.tellAcquired();
        return new Grant(hold, terms);
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
        if (admission instanceof KeyLine.Admission.Shut) {
            throw keeper.shutDown();
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
                        .formatted(Printable.of(terms.name()), deadline.waited().toMillis()),
                timedOut.outage());
    }

    private Tenure withTurn(Terms terms, Deadline deadline, KeyLine line) throws InterruptedException {
        ManagedLease lease = null;
        try {
            lease = new Turn(terms, deadline, keeper, line, leftovers, log).take();
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

    private Tenure tenure(ManagedLease lease, KeyLine line, Deadline deadline) {
        lease.granted(deadline.waited());
        Tenure tenure = new Tenure(lease, line, handoff, keeper);
        line.granted(tenure);
        return tenure;
    }
}
