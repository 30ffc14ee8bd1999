package io.rowlock.client.lock;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.Observation;
import io.rowlock.client.event.ObservedLock;
import io.rowlock.client.event.Observers;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.StoreHealth;

/**
 * Takes one key for the calling thread: it enters a lock the thread has, joins a lease of another thread, or asks the store.
 * Thread-safe.
 */
public final class LockAcquirer {
    private final StoreAccess access;
    private final KeyQueues queues;
    private final ThreadLocks threadLocks;
    private final Observers observers;

    public LockAcquirer(StoreAccess access, KeyQueues queues, ThreadLocks threadLocks, Observers observers) {
        this.access = access;
        this.queues = queues;
        this.threadLocks = threadLocks;
        this.observers = observers;
    }

    /**
     * Takes one key.
     *
     * @throws LockNotAcquiredException if another owner had it until the deadline
     * @throws LockStoreException if the database could not be asked
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws IllegalStateException if the thread would wait for itself
     */
    public ThreadLock.Grant acquire(ResolvedRequest request, Deadline deadline) {
        if (deadline.patience() > 0 && Thread.interrupted()) {
            throw interrupted(request, deadline, new InterruptedException());
        }
        ThreadLock own = threadLocks.ofCaller(request.id());
        ThreadLock.Grant nested = own == null ? null : own.enter(request);
        if (nested != null) {
            return extended(nested);
        }
        threadLocks.requireNotInOwnWay(request);
        Observation observation = new Observation(observers, request);
        KeyQueue queue = queues.use(request.id());
        ThreadLock lock = new ThreadLock(request, queue, queues, threadLocks, observers, observation);
        boolean held = false;
        try {
            await(lock, queue, deadline);
            lock.begin(deadline.waited());
            held = true;
            return lock.first;
        } catch (LockNotAcquiredException e) {
            observation.busy(e.holder().orElse(""), e.waited());
            throw e;
        } catch (InterruptedException e) {
            observation.interrupted();
            throw interrupted(request, deadline, e);
        } catch (RuntimeException | Error e) {
            observation.failed(e);
            throw e;
        } finally {
            if (!held) {
                lock.first.givenUp = true; // first, as no call may succeed on a stack that is full
                queue.forget(lock);
                queues.leave(request.id());
            }
        }
    }

    private static LockInterruptedException interrupted(
            ResolvedRequest request, Deadline deadline, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LockInterruptedException(request.name(), deadline.waited(), e);
    }

    public ThreadLocks threadLocks() {
        return threadLocks;
    }

    public boolean isHeldByCaller(LockId id) {
        return threadLocks.ofCaller(id) != null;
    }

    private static ThreadLock.Grant extended(ThreadLock.Grant nested) {
        boolean extended = false;
        try {
            nested.lock().extendFor(nested.request());
            extended = true;
            return nested;
        } finally {
            if (!extended) {
                nested.givenUp = true;
                nested.close();
            }
        }
    }

    /** Waits until the thread has a lease. */
    private void await(ThreadLock lock, KeyQueue queue, Deadline deadline) throws InterruptedException {
        boolean held = false;
        while (!held) {
            switch (queue.enter(lock, deadline.nanosLeft())) {
                case ASK_STORE -> {
                    HeldLease lease = new StoreAcquisition(lock, deadline, queue, access).acquire();
                    queue.granted(lease, lock, deadline.waited());
                    held = true;
                }
                case JOINED -> held = joined(lock);
                case TIMED_OUT ->
                    throw timedOut(
                            lock.request(),
                            deadline,
                            queue.verdict(access.ticker().nanoTime()));
                case SHUT -> throw InFlightThreads.shutDown();
            }
        }
    }

    /** @return false if the lease was lost before the thread that was to follow woke up */
    private boolean joined(ThreadLock lock) {
        boolean held = lock.lease().isHeld();
        if (held) {
            observers.handedOn(ObservedLock.of(lock.request()));
        } else {
            lock.giveUp();
        }
        return held;
    }

    /** Another thread of this process asks the store. Only if the database answers it can be said that the lock is busy. */
    private RuntimeException timedOut(ResolvedRequest request, Deadline deadline, StoreHealth.Verdict verdict) {
        if (!verdict.isDown()) {
            return new LockNotAcquiredException(request.name(), deadline.waited(), request.owner());
        }
        return new LockStoreException(
                "The lock \"%s\" was not acquired within %d ms, because the database does not answer"
                        .formatted(
                                Printable.of(request.name()), deadline.waited().toMillis()),
                verdict.reason());
    }
}
