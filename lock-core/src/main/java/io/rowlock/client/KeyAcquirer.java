package io.rowlock.client;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.Observation;
import io.rowlock.client.event.Observers;
import io.rowlock.client.lock.HeldLease;
import io.rowlock.client.lock.InFlightThreads;
import io.rowlock.client.lock.KeyQueue;
import io.rowlock.client.lock.KeyQueues;
import io.rowlock.client.lock.StoreAccess;
import io.rowlock.client.lock.StoreAcquisition;
import io.rowlock.client.lock.ThreadLock;
import io.rowlock.client.lock.ThreadLocks;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;

/**
 * Takes one key for the calling thread: it enters a lock the thread has, joins a lease of another thread, or asks the store.
 * Thread-safe.
 */
final class KeyAcquirer {
    /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
    private static final long SILENCE = Duration.ofSeconds(2).toNanos();

    private final StoreAccess access;
    private final KeyQueues queues;
    private final ThreadLocks threadLocks;
    private final Observers observers;

    KeyAcquirer(StoreAccess access, KeyQueues queues, ThreadLocks threadLocks, Observers observers) {
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
    KeyHandle acquire(ResolvedRequest request, Deadline deadline) {
        if (deadline.patience() > 0 && Thread.interrupted()) {
            throw interrupted(request, deadline, new InterruptedException());
        }
        ThreadLock own = threadLocks.ofCaller(request.id());
        ThreadLock.Grant nested = own == null ? null : own.enter(request);
        if (own != null && nested != null) {
            return nested(own, nested, request);
        }
        threadLocks.requireNotInOwnWay(request);
        Observation observation = new Observation(observers, request);
        KeyQueue queue = queues.use(request.id());
        boolean held = false;
        try {
            ThreadLock lock = new ThreadLock(request, queue, queues, threadLocks, observers, observation);
            await(lock, queue, deadline);
            KeyHandle handle = new KeyHandle(lock, begin(lock, deadline), request);
            held = true;
            return handle;
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
                queues.leave(request.id());
            }
        }
    }

    static LockInterruptedException interrupted(ResolvedRequest request, Deadline deadline, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LockInterruptedException(request.name(), deadline.waited(), e);
    }

    ThreadLocks threadLocks() {
        return threadLocks;
    }

    boolean isHeldByCaller(LockId id) {
        return threadLocks.ofCaller(id) != null;
    }

    private static KeyHandle nested(ThreadLock own, ThreadLock.Grant grant, ResolvedRequest request) {
        KeyHandle handle = new KeyHandle(own, grant, request);
        try {
            own.extendFor(request);
        } catch (RuntimeException | Error e) {
            handle.revoke();
            throw e;
        }
        return handle;
    }

    /** Nothing is held by a thread that was not told so, as when the log could not note it. */
    private static ThreadLock.Grant begin(ThreadLock lock, Deadline deadline) {
        ThreadLock.Grant grant = null;
        try {
            grant = lock.begin(deadline.waited());
            return grant;
        } finally {
            if (grant == null) {
                lock.giveUp();
            }
        }
    }

    /** Waits until the thread has a lease. */
    private void await(ThreadLock lock, KeyQueue queue, Deadline deadline) throws InterruptedException {
        boolean held = false;
        while (!held) {
            switch (queue.enter(lock, deadline.nanosLeft())) {
                case ASK_STORE -> {
                    HeldLease lease = new StoreAcquisition(lock.request(), deadline, queue, access).acquire();
                    queue.granted(lease, lock, deadline.waited());
                    held = true;
                }
                case JOINED -> held = joined(lock);
                case TIMED_OUT -> throw timedOut(lock.request(), deadline, queue.unanswered());
                case SHUT -> throw InFlightThreads.shutDown();
            }
        }
    }

    /** @return false if the lease was lost before the thread that was to follow woke up */
    private boolean joined(ThreadLock lock) {
        boolean held = lock.lease().isHeld();
        if (held) {
            observers.instrumentation().handedOn(lock.request());
        } else {
            lock.giveUp();
        }
        return held;
    }

    /** Another thread of this process asks the store. Only if the database answers it can be said that the lock is busy. */
    private RuntimeException timedOut(ResolvedRequest request, Deadline deadline, KeyQueue.Unanswered timedOut) {
        Long askedAt = timedOut.askedAt();
        boolean unanswered = askedAt != null && observers.ticker().nanoTime() - askedAt > SILENCE;
        if (timedOut.outage() == null && !unanswered) {
            return new LockNotAcquiredException(request.name(), deadline.waited(), request.owner());
        }
        return new LockStoreException(
                "The lock \"%s\" was not acquired within %d ms, because the database does not answer"
                        .formatted(
                                Printable.of(request.name()), deadline.waited().toMillis()),
                timedOut.outage());
    }
}
