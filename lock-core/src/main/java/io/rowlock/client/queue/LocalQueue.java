package io.rowlock.client.queue;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.client.request.ResolvedRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads of this process that want one key, first come, first served. Whoever is first and finds the key not taken
 * by this process gets the <em>turn</em>: it alone asks the database, and the turn is over when it has failed, or when
 * the exclusive lease it got has ended. A reader's turn is over as soon as it has its lease. Those behind it join or
 * follow without asking, as far as the {@link SharedLease} of that lease admits them.
 *
 * <p>Thread-safe: {@code guard} guards every field; with it held only the state of a lease is asked for.
 */
public final class LocalQueue {
    private final ReentrantLock guard = new ReentrantLock();
    private final AtomicReference<@Nullable LockStoreException> lastOutage;
    private final Deque<Waiter> line = new ArrayDeque<>();
    private boolean turnTaken;
    private boolean turnWaits;
    private boolean shut;
    private @Nullable SharedLease tenure;
    private @Nullable LockStoreException outage;
    private @Nullable Long askedAt;

    /** How many threads wait in the line, have the turn or hold a lease of it. Guarded by {@link LocalQueues}. */
    int users;

    /** How a wait in the line ended. */
    public sealed interface Admission {
        /** The caller has the turn. */
        record Turn() implements Admission {}

        /** The caller holds a lease this process has already. */
        record Joined(SharedLease tenure) implements Admission {}

        /** Nobody is admitted any more. */
        record Shut() implements Admission {}

        /**
         * The time was over.
         *
         * @param outage what kept whoever has the turn from finding out, if that is known
         * @param askedAt since when whoever has the turn has been waiting for an answer, if it is
         */
        record TimedOut(
                @Nullable LockStoreException outage,
                @Nullable Long askedAt) implements Admission {}
    }

    private static final class Waiter {
        private final ResolvedRequest terms;
        private final Condition admitted;
        private @Nullable Admission admission;

        Waiter(ResolvedRequest terms, Condition admitted) {
            this.terms = terms;
            this.admitted = admitted;
        }
    }

    /** @param lastOutage what kept the database from answering, whatever line asked it, since when it has not answered any */
    LocalQueue(AtomicReference<@Nullable LockStoreException> lastOutage) {
        this.lastOutage = lastOutage;
    }

    /** Waits for admission, up to {@code nanos}. */
    public Admission enter(ResolvedRequest terms, long nanos) throws InterruptedException {
        guard.lock();
        try {
            if (shut) {
                return new Admission.Shut();
            }
            Waiter waiter = new Waiter(terms, guard.newCondition());
            line.addLast(waiter);
            admitFirst();
            return await(waiter, nanos);
        } finally {
            guard.unlock();
        }
    }

    private Admission await(Waiter waiter, long nanos) throws InterruptedException {
        long left = nanos;
        try {
            while (waiter.admission == null) {
                if (left <= 0) {
                    return new Admission.TimedOut(unanswered(), askedAt);
                }
                left = waiter.admitted.awaitNanos(left);
            }
            return waiter.admission;
        } catch (InterruptedException e) {
            if (waiter.admission == null) {
                throw e;
            }
            Thread.currentThread().interrupt();
            return waiter.admission;
        } finally {
            if (waiter.admission == null) {
                line.remove(waiter);
                admitFirst();
            }
        }
    }

    /** What this process does not hold is not said to be busy while the database answers nobody. */
    private @Nullable LockStoreException unanswered() {
        return outage == null && tenure == null ? lastOutage.get() : outage;
    }

    private void admitFirst() {
        Waiter first = line.peekFirst();
        while (first != null && admit(first)) {
            line.removeFirst();
            first.admitted.signal();
            first = line.peekFirst();
        }
    }

    private boolean admit(Waiter waiter) {
        if (tenure != null && tenure.admits(waiter.terms)) {
            tenure.enter(waiter.terms);
            waiter.admission = new Admission.Joined(tenure);
            return true;
        }
        if (turnTaken) {
            return false;
        }
        turnTaken = true;
        turnWaits = true;
        tenure = null;
        waiter.admission = new Admission.Turn();
        return true;
    }

    /** Sends everybody away who waits, or opens again. Those who are in stay in. */
    void shut(boolean forNow) {
        guard.lock();
        try {
            shut = forNow;
            while (shut && !line.isEmpty()) {
                Waiter waiter = line.removeFirst();
                waiter.admission = new Admission.Shut();
                waiter.admitted.signal();
            }
        } finally {
            guard.unlock();
        }
    }

    /** How many threads wait: in the line, or for the database. */
    int waiting() {
        guard.lock();
        try {
            return line.size() + (turnWaits ? 1 : 0);
        } finally {
            guard.unlock();
        }
    }

    /**
     * A holder leaves. Was it the last, the next in line follows, or the lease is given back. If nothing but the limits of
     * the hand-off is in the way of the next, they begin anew unless another process waits.
     */
    void leave(SharedLease left) {
        switch (exit(left)) {
            case STAY -> {}
            case GIVE_BACK -> left.lease().release();
            case ASK -> {
                if (isOver(left, left.isWaitedFor())) {
                    left.lease().release();
                }
            }
        }
    }

    /** What is to be done with a lease that a holder has left. */
    private enum Exit {
        STAY,
        GIVE_BACK,
        /** It may be handed on for longer if no other process waits, which the database is to be asked. */
        ASK
    }

    private Exit exit(SharedLease left) {
        guard.lock();
        try {
            if (left.exit() && left == tenure) {
                admitFirst();
            }
            if (left.isUsed()) {
                return Exit.STAY;
            }
            Waiter first = line.peekFirst();
            if (left == tenure && first != null && left.isOnlyLimitedFor(first.terms)) {
                return Exit.ASK;
            }
            close(left);
            return Exit.GIVE_BACK;
        } finally {
            guard.unlock();
        }
    }

    /** Unless somebody else waits it goes on, and unless somebody has come meanwhile it is over. */
    private boolean isOver(SharedLease left, boolean waitedFor) {
        guard.lock();
        try {
            if (!waitedFor && !left.isUsed()) {
                left.goOn();
                admitFirst();
            }
            if (!left.isUsed()) {
                close(left);
            }
            return !left.isUsed();
        } finally {
            guard.unlock();
        }
    }

    /** Nobody is admitted to it any more: its lease is about to be given back. */
    private void close(SharedLease left) {
        tenure = left == tenure ? null : tenure;
    }

    boolean isSharedByMany(SharedLease asked) {
        guard.lock();
        try {
            return asked.hasMany();
        } finally {
            guard.unlock();
        }
    }

    /** The turn is over: the next in line is admitted. */
    public void endTurn() {
        guard.lock();
        try {
            turnTaken = false;
            turnWaits = false;
            askedAt = null;
            tenure = null;
            admitFirst();
        } finally {
            guard.unlock();
        }
    }

    /** The turn brought a lease, which others may join or follow. An exclusive one keeps the turn until it has ended. */
    public void granted(SharedLease brought) {
        guard.lock();
        try {
            askedAt = null;
            turnWaits = false;
            tenure = brought;
            if (brought.lease().lease().mode() == LockMode.SHARED) {
                turnTaken = false;
                admitFirst();
            }
        } finally {
            guard.unlock();
        }
        if (brought.lease().lease().mode() == LockMode.EXCLUSIVE) {
            brought.lease().onEnd(this::endTurn);
        }
    }

    /** Whoever has the turn asks the database, at this time. */
    void asking(long now) {
        noted(outage, now);
    }

    /** The database answered. */
    void answered() {
        if (lastOutage.get() != null) {
            lastOutage.set(null);
        }
        noted(null, null);
    }

    /** The database did not answer, which those who wait for the turn are told when their time is over. */
    public void failed(LockStoreException reason) {
        lastOutage.set(reason);
        noted(reason, null);
    }

    private void noted(@Nullable LockStoreException reason, @Nullable Long asked) {
        guard.lock();
        try {
            outage = reason;
            askedAt = asked;
        } finally {
            guard.unlock();
        }
    }
}
