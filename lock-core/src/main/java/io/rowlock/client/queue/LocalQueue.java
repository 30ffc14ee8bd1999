package io.rowlock.client.queue;

import io.rowlock.LockStoreException;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads of this process that want one key, first come, first served. The first of them may ask the store as soon as
 * no other thread of the process does so, or holds an exclusive lease of the key. It may do so until it has failed, or until
 * the exclusive lease it got has ended; a reader only until it has its lease. The threads behind it join or follow without
 * asking, as far as the {@link SharedLease} admits them.
 *
 * <p>Thread-safe: {@code guard} guards every field; under it only the state of a lease is looked at.
 */
public final class LocalQueue {
    private final ReentrantLock guard = new ReentrantLock();
    private final AtomicReference<@Nullable LockStoreException> lastOutage;
    private final AtomicBoolean shut;
    private final Deque<Waiter> waiters = new ArrayDeque<>();

    /** Whether a thread may ask the store, or holds the exclusive lease it got. */
    private boolean storeTaken;

    /** Whether that thread still waits for its lease. */
    private boolean storeAsked;

    private @Nullable SharedLease present;
    private @Nullable LockStoreException outage;
    private @Nullable Long askedAt;

    /** How many threads wait in the queue, ask the store or hold a lease of it. Guarded by {@link LocalQueues}. */
    int users;

    /** How a wait in the queue ended. */
    public sealed interface Admission {
        /** The caller may ask the store, until {@link #releaseStore}. */
        record AskStore() implements Admission {}

        /** The caller holds a lease this process has already. */
        record Joined(SharedLease lease) implements Admission {}

        /** No thread is admitted any more. */
        record Shut() implements Admission {}

        /**
         * The wait time was over.
         *
         * @param outage why the thread that asks the store got no answer, if that is known
         * @param askedAt since when that thread has been waiting for an answer, if it is
         */
        record TimedOut(
                @Nullable LockStoreException outage,
                @Nullable Long askedAt) implements Admission {}
    }

    private static final class Waiter {
        private final ResolvedRequest request;
        private final Condition admitted;
        private @Nullable Admission admission;

        Waiter(ResolvedRequest request, Condition admitted) {
            this.request = request;
            this.admitted = admitted;
        }
    }

    /**
     * @param lastOutage why the database did not answer, whatever queue asked it, since it has answered none
     * @param shut whether no thread is admitted to any queue
     */
    LocalQueue(AtomicReference<@Nullable LockStoreException> lastOutage, AtomicBoolean shut) {
        this.lastOutage = lastOutage;
        this.shut = shut;
    }

    /** Waits for admission, up to {@code nanos}. */
    public Admission enter(ResolvedRequest request, long nanos) throws InterruptedException {
        guard.lock();
        try {
            if (shut.get()) {
                return new Admission.Shut();
            }
            Waiter waiter = new Waiter(request, guard.newCondition());
            waiters.addLast(waiter);
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
                waiters.remove(waiter);
                admitFirst();
            }
        }
    }

    /** A key this process does not hold is not reported busy while the database answers no thread. */
    private @Nullable LockStoreException unanswered() {
        return outage == null && present == null ? lastOutage.get() : outage;
    }

    private void admitFirst() {
        Waiter first = waiters.peekFirst();
        while (first != null && admit(first)) {
            waiters.removeFirst();
            first.admitted.signal();
            first = waiters.peekFirst();
        }
    }

    private boolean admit(Waiter waiter) {
        if (present != null && present.admits(waiter.request)) {
            present.enter(waiter.request);
            waiter.admission = new Admission.Joined(present);
            return true;
        }
        if (storeTaken) {
            return false;
        }
        storeTaken = true;
        storeAsked = true;
        present = null;
        waiter.admission = new Admission.AskStore();
        return true;
    }

    /** Rejects all waiters, after it was shut. Current holders are unaffected. */
    void rejectWaiters() {
        guard.lock();
        try {
            while (!waiters.isEmpty()) {
                Waiter waiter = waiters.removeFirst();
                waiter.admission = new Admission.Shut();
                waiter.admitted.signal();
            }
        } finally {
            guard.unlock();
        }
    }

    /** How many threads wait: in the queue, or for the database. */
    int waiting() {
        guard.lock();
        try {
            return waiters.size() + (storeAsked ? 1 : 0);
        } finally {
            guard.unlock();
        }
    }

    /** As {@link #leave(SharedLease, Runnable)}, of a thread to which it does not matter who goes on with the lease. */
    public boolean leave(SharedLease left) {
        return leave(left, () -> {});
    }

    /**
     * A holder leaves. If it was the last, the next waiter follows, or the lease is to be released. If only the limits of the
     * hand-off keep the next waiter from following, they start again unless another process waits.
     *
     * @param leftToOthers is called if other threads hold the lease, before one that follows knows that it does; only the
     *     state of the lease may be looked at there
     * @return whether no thread follows and none will, so that the caller has to release the lease
     */
    public boolean leave(SharedLease left, Runnable leftToOthers) {
        Exit exit = exit(left, leftToOthers);
        return exit == Exit.RELEASE || (exit == Exit.ASK && isOver(left, isWaitedFor(left), leftToOthers));
    }

    /** What is to be done with a lease that a holder has left. */
    private enum Exit {
        STAY,
        RELEASE,
        /** It may be handed on for longer if no other process waits, which the database is to be asked. */
        ASK
    }

    private Exit exit(SharedLease left, Runnable leftToOthers) {
        guard.lock();
        try {
            if (left.exit() && left == present) {
                admitFirst();
            }
            if (left.isUsed()) {
                leftToOthers.run();
                return Exit.STAY;
            }
            Waiter first = waiters.peekFirst();
            if (left == present && first != null && left.isOnlyLimitedFor(first.request)) {
                left.beginQuestion();
                return Exit.ASK;
            }
            close(left);
            return Exit.RELEASE;
        } finally {
            guard.unlock();
        }
    }

    /** Whether another process is seen to wait. Asks the database, so not under the guard. */
    private static boolean isWaitedFor(SharedLease left) {
        ManagedLease lease = left.lease();
        try {
            return lease.store().queue().isWaitedFor(lease.lease());
        } catch (RuntimeException e) {
            return true; // whatever it was, the lease must be released
        }
    }

    /** Unless another process waits the hand-off goes on, if a thread still waits for it. */
    private boolean isOver(SharedLease left, boolean waitedFor, Runnable leftToOthers) {
        guard.lock();
        try {
            left.endQuestion();
            if (!waitedFor) {
                left.prolong();
                admitFirst();
            }
            if (left.isUsed()) {
                leftToOthers.run();
                return false;
            }
            close(left);
            return true;
        } finally {
            guard.unlock();
        }
    }

    /** No thread is admitted to it any more: its lease is about to be released. */
    private void close(SharedLease left) {
        present = left == present ? null : present;
    }

    /** A holder wants a new ttl. It is never made shorter than what another holder counts on. */
    public void extend(SharedLease shared, Duration ttl) {
        ManagedLease lease = shared.lease();
        boolean shorter = ttl.compareTo(lease.ttl()) < 0;
        lease.extend(shorter && isSharedByMany(shared) ? lease.ttl() : ttl);
    }

    private boolean isSharedByMany(SharedLease asked) {
        guard.lock();
        try {
            return asked.hasMany();
        } finally {
            guard.unlock();
        }
    }

    /**
     * Has the lease expire if no other thread shares it.
     *
     * @param held whether the caller has not begun to {@link #leave} it, so that no other thread has followed; only looked at
     * @return whether it will expire
     */
    public boolean leaveToTtl(SharedLease shared, BooleanSupplier held) {
        guard.lock();
        try {
            boolean alone = !shared.hasMany() && held.getAsBoolean();
            if (alone) {
                shared.lease().endRenewals();
            }
            return alone;
        } finally {
            guard.unlock();
        }
    }

    /** The caller asks the store no more, and holds no exclusive lease of it: the next waiter is admitted. */
    public void releaseStore() {
        guard.lock();
        try {
            storeTaken = false;
            storeAsked = false;
            askedAt = null;
            present = null;
            admitFirst();
        } finally {
            guard.unlock();
        }
    }

    /** The store granted a lease, which others may join or follow. An exclusive one keeps the store taken until it has ended. */
    public void granted(SharedLease granted) {
        boolean exclusive = granted.lease().isExclusive();
        guard.lock();
        try {
            askedAt = null;
            storeAsked = false;
            present = granted;
            if (!exclusive) {
                storeTaken = false;
                admitFirst();
            }
        } finally {
            guard.unlock();
        }
        if (exclusive) {
            granted.lease().onEnd(this::releaseStore);
        }
    }

    /** The store is asked at this time. */
    void asking(long now) {
        noted(outage, now);
    }

    /** The store answered. */
    void answered() {
        if (lastOutage.get() != null) {
            lastOutage.set(null);
        }
        noted(null, null);
    }

    /** The store did not answer, which is the reason waiters get when their time is over. */
    void failed(LockStoreException reason) {
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
