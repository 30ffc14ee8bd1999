package io.rowlock.client.lock;

import io.rowlock.HeldLock;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.client.observe.LockInstrumentation.Incident;
import io.rowlock.client.observe.Observation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks that are leases of a store for the calling thread, the keys of a request one after another. For each it enters a lock the
 * thread has, joins a lease of another thread, or asks the store. Thread-safe.
 */
public final class LockAcquirer {
    private final ProcessLocks process;
    private final RequestResolver resolver;

    LockAcquirer(ProcessLocks process, RequestResolver resolver) {
        this.process = process;
        this.resolver = resolver;
    }

    // ---- a request

    /**
     * Acquires all keys of a request, or none.
     *
     * @param patience how long to wait at most
     * @param ownTransaction whether the body runs in a transaction of its own, or in none: one that is open now neither keeps the lock
     *     nor relies on it
     * @param left what the transaction has bound that the body's own takes the place of: others that are open keep the lock and rely on it
     * @throws LockNotAcquiredException if another owner had a key until the deadline
     * @throws LockStoreException if the database could not be asked
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws IllegalStateException if the thread would wait for itself, or a transaction is open that cannot be guarded
     */
    public HeldLock acquire(LockRequest request, Duration patience, boolean ownTransaction, @Nullable Object left) {
        List<ResolvedRequest> resolved = resolver.resolve(request);
        requireOpenFor(resolved);
        process.admission.accept(request);
        List<OpenTransaction> open =
                ownTransaction ? process.transactions.besides(left) : process.transactions.admitting(resolved);
        Deadline deadline = Deadline.after(patience, process.observers.ticker());
        List<ThreadLock.Grant> grants = new ArrayList<>(resolved.size());
        try {
            for (ResolvedRequest key : resolved) {
                grants.add(acquire(key, deadline));
            }
            return handedOut(request, grants, ownTransaction, open);
        } catch (RuntimeException | Error e) {
            LockHandle.giveUp(grants);
            LockHandle.close(process.background, grants, e);
            throw e;
        }
    }

    /** While the client drains, a thread may still enter a lock it holds. */
    private void requireOpenFor(List<ResolvedRequest> resolved) {
        if (!process.inFlight.isOpen()
                && (process.closed.get() || !resolved.stream().allMatch(this::isHeldByCaller))) {
            process.inFlight.requireOpen();
        }
    }

    /** Returns true if the calling thread holds a key of a request. */
    public boolean isHeldByCaller(LockRequest request) {
        return resolver.resolve(request).stream().anyMatch(this::isHeldByCaller);
    }

    private boolean isHeldByCaller(ResolvedRequest key) {
        return process.threadLocks.ofCaller(key.id()) != null;
    }

    private HeldLock handedOut(
            LockRequest request, List<ThreadLock.Grant> grants, boolean ownTransaction, List<OpenTransaction> open) {
        if (grants.size() > 1) { // while it waited for the last, the first may have been lost
            grants.forEach(grant -> grant.lock().lease().requireHeld());
        }
        if (!open.isEmpty()) {
            List<ThreadLock> locks = grants.stream().map(ThreadLock.Grant::lock).toList();
            open.forEach(each -> each.granted(locks));
        }
        LossInterrupts.Body body = request.onLost() == OnLost.INTERRUPT ? process.interrupts.begin() : null;
        return new LockHandle(grants, ownTransaction, body).begun();
    }

    // ---- a key

    /**
     * Acquires one key.
     *
     * @throws LockNotAcquiredException if another owner had it until the deadline
     * @throws LockStoreException if the database could not be asked
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws IllegalStateException if the thread would wait for itself
     */
    private ThreadLock.Grant acquire(ResolvedRequest request, Deadline deadline) {
        if (deadline.patience() > 0 && Thread.interrupted()) {
            throw deadline.interrupted(request.name(), new InterruptedException());
        }
        ThreadLock own = process.threadLocks.ofCaller(request.id());
        ThreadLock.Grant nested = own == null ? null : own.enter(request);
        if (nested != null) {
            return extended(nested);
        }
        process.threadLocks.requireNotInOwnWay(request);
        Observation observation = new Observation(process.observers, ObservedLock.of(request));
        KeyQueue queue = process.queues.use(request.id());
        ThreadLock lock = new ThreadLock(request, queue, process, observation);
        try {
            await(lock, queue, deadline);
            lock.begin(deadline.waited());
            return lock.first;
        } catch (RuntimeException | Error e) {
            lock.first.givenUp = true; // first, as no call may succeed on a stack that is full
            try {
                queue.forget(lock);
            } finally {
                process.queues.leave(request.id());
                observation.refused(e); // last, as it may call listeners
            }
            throw e;
        }
    }

    /** Makes the lease last as long as a nested grant asks, never shorter. */
    private static ThreadLock.Grant extended(ThreadLock.Grant nested) {
        HeldLease lease = nested.lock().lease();
        Duration present = lease.isRenewed() || lease.isPromise() ? lease.ttl() : lease.remaining();
        try {
            if (nested.request.asked().ttl() != null && nested.request.ttl().compareTo(present) > 0) {
                nested.lock().extend(nested.request.ttl());
            }
            return nested;
        } catch (RuntimeException | Error e) {
            nested.givenUp = true;
            nested.close(); // the outer one keeps the lease
            throw e;
        }
    }

    /** Waits until the thread has a lease. */
    private void await(ThreadLock lock, KeyQueue queue, Deadline deadline) {
        boolean held = false;
        while (!held) {
            try {
                switch (queue.enter(lock, deadline.nanosLeft())) {
                    case ASKING -> {
                        queue.granted(new StoreAcquisition(lock, deadline).acquire(), lock);
                        held = true;
                    }
                    case JOINED -> held = joined(lock);
                    case REJECTED -> throw InFlightThreads.shutDown();
                    default -> throw timedOut(lock.request, deadline, queue);
                }
            } catch (InterruptedException e) {
                throw deadline.interrupted(lock.request.name(), e);
            }
        }
    }

    /** @return false if the lease was lost before the thread that was to follow woke up */
    private boolean joined(ThreadLock lock) {
        boolean held = lock.lease().isHeld();
        if (held) {
            process.observers.measure(meters -> meters.count(Incident.HANDED_ON, ObservedLock.of(lock.request)));
        } else {
            lock.giveUp();
        }
        return held;
    }

    /** Another thread of this process asks the store. Only if the database answers it can be said that the lock is busy. */
    private RuntimeException timedOut(ResolvedRequest request, Deadline deadline, KeyQueue queue) {
        LockStoreException outage = queue.outage(process.observers.ticker().nanoTime());
        return outage == null
                ? queue.busy(request, deadline)
                : new LockStoreException(
                        "The lock \"%s\" was not acquired within %d ms, because the database does not answer"
                                .formatted(request.name(), deadline.waited().toMillis()),
                        outage);
    }
}
