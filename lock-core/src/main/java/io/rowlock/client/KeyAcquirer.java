package io.rowlock.client;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.EventFactory;
import io.rowlock.client.event.LockInstrumentation.Waiting;
import io.rowlock.client.event.Observers;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.queue.AnyKeyAcquisition;
import io.rowlock.client.queue.InFlightThreads;
import io.rowlock.client.queue.LocalQueue;
import io.rowlock.client.queue.LocalQueues;
import io.rowlock.client.queue.SharedLease;
import io.rowlock.client.queue.StoreAccess;
import io.rowlock.client.queue.StoreAcquisition;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes one key for the calling thread: it enters a lock the thread has, joins a lease of another thread, or asks the store.
 * Thread-safe.
 */
final class KeyAcquirer {
    /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
    private static final long SILENCE = Duration.ofSeconds(2).toNanos();

    private final StoreAccess access;
    private final LocalQueues queues;
    private final ThreadLocks threadLocks;
    private final Handoff handoff;
    private final Observers observers;

    KeyAcquirer(StoreAccess access, LocalQueues queues, ThreadLocks threadLocks, Handoff handoff, Observers observers) {
        this.access = access;
        this.queues = queues;
        this.threadLocks = threadLocks;
        this.handoff = handoff;
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
        ThreadLock own = lockOfCaller(request.id());
        if (own != null && own.enter(request)) {
            return nested(own, request);
        }
        threadLocks.requireNotInOwnWay(request);
        Waiting waiting = observers.instrumentation().waiting(request);
        try {
            LocalQueue queue = queues.use(request.id());
            return handle(request, queue, sharedLease(request, queue, deadline), deadline, waiting);
        } catch (LockNotAcquiredException e) {
            busy(request, waiting, e.holder().orElse(""), e.waited());
            throw e;
        } catch (InterruptedException e) {
            waiting.interrupted();
            throw interrupted(request, deadline, e);
        } catch (RuntimeException | Error e) {
            waiting.failed(e);
            throw e;
        }
    }

    static LockInterruptedException interrupted(ResolvedRequest request, Deadline deadline, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LockInterruptedException(request.name(), deadline.waited(), e);
    }

    private void busy(ResolvedRequest request, Waiting waiting, String holder, Duration waited) {
        waiting.busy();
        EventFactory events = EventFactory.ofAttempt(request, observers.ticker(), waited);
        observers.events().notifyLater(events.busy(holder), List.of());
    }

    /** The calling thread's lock on a key; not one that is not renewed and has run out. */
    @Nullable
    ThreadLock lockOfCaller(LockId id) {
        ThreadLock own = threadLocks.ofCaller(id);
        if (own != null && own.hasRunOut()) {
            own.drop();
            return null;
        }
        return own;
    }

    private static KeyHandle nested(ThreadLock own, ResolvedRequest request) {
        KeyHandle handle = new KeyHandle(own, request);
        try {
            own.extendFor(request);
        } catch (RuntimeException | Error e) {
            handle.revoke();
            throw e;
        }
        return handle;
    }

    private SharedLease sharedLease(ResolvedRequest request, LocalQueue queue, Deadline deadline)
            throws InterruptedException {
        SharedLease shared = null;
        try {
            while (shared == null) {
                LocalQueue.Admission admission = queue.enter(request, deadline.nanosLeft());
                if (admission instanceof LocalQueue.Admission.AskStore) {
                    shared = granted(queue, new StoreAcquisition(request, deadline, queue, access).acquire(), deadline);
                } else if (admission instanceof LocalQueue.Admission.Joined joined) {
                    shared = joined(request, queue, joined.lease());
                } else if (admission instanceof LocalQueue.Admission.TimedOut timedOut) {
                    throw timedOut(request, deadline, timedOut);
                } else {
                    throw InFlightThreads.shutDown();
                }
            }
            return shared;
        } finally {
            if (shared == null) {
                queues.leave(request.id());
            }
        }
    }

    private SharedLease granted(LocalQueue queue, ManagedLease lease, Deadline deadline) {
        lease.granted(deadline.waited());
        SharedLease shared = new SharedLease(lease, handoff, observers.ticker());
        queue.granted(shared);
        return shared;
    }

    /** @return null if the lease was lost before the thread that was to follow woke up */
    private @Nullable SharedLease joined(ResolvedRequest request, LocalQueue queue, SharedLease shared) {
        if (shared.lease().isHeld()) {
            observers.instrumentation().handedOn(request);
            return shared;
        }
        if (queue.leave(shared)) {
            shared.lease().release();
        }
        return null;
    }

    /** Another thread of this process asks the store. Only if the database answers it can be said that the lock is busy. */
    private RuntimeException timedOut(
            ResolvedRequest request, Deadline deadline, LocalQueue.Admission.TimedOut timedOut) {
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

    private KeyHandle handle(
            ResolvedRequest request, LocalQueue queue, SharedLease shared, Deadline deadline, Waiting waiting) {
        ThreadLock lock;
        try {
            EventFactory events = new EventFactory(
                    request, observers.ticker(), observers.ticker().nanoTime(), deadline.waited());
            lock = new ThreadLock(
                    events, shared, queue, threadLocks, access.log(), observers, () -> queues.leave(request.id()));
        } catch (LockStoreException e) {
            try {
                if (queue.leave(shared)) {
                    shared.lease().release();
                }
            } catch (LockStoreException release) {
                e.addSuppressed(release);
            }
            queues.leave(request.id());
            throw e;
        }
        lock.enter(request);
        lock.ownedByCaller();
        waiting.acquired(lock.token());
        lock.notifyAcquired();
        return new KeyHandle(lock, request);
    }

    // ---- one of several keys

    /**
     * Takes one of several keys for the calling thread, which holds none of them, without waiting.
     *
     * @param requests exclusive ones of one strategy, with the same ttl; best first
     * @param deadline one that is over
     * @return empty if all are taken
     * @throws LockStoreException if it is not known whether they are
     */
    Optional<KeyHandle> acquireAny(List<ResolvedRequest> requests, Deadline deadline) {
        Waiting first = observers.instrumentation().waiting(requests.get(0));
        Optional<KeyHandle> won;
        try {
            won = anyOf(requests, deadline);
        } catch (LockNotAcquiredException e) {
            first.busy();
            throw e;
        } catch (InterruptedException e) {
            first.interrupted();
            throw interrupted(requests.get(0), deadline, e);
        } catch (RuntimeException | Error e) {
            first.failed(e);
            throw e;
        }
        reportOutcomes(requests, first, won.orElse(null), deadline);
        return won;
    }

    private Optional<KeyHandle> anyOf(List<ResolvedRequest> requests, Deadline deadline) throws InterruptedException {
        try (AnyKeyAcquisition acquisition = new AnyKeyAcquisition(deadline, queues, access)) {
            LockStoreException unknown = null;
            for (ResolvedRequest request : requests) {
                LocalQueue.Admission.TimedOut timedOut = acquisition.add(request);
                if (timedOut != null && timedOut(request, deadline, timedOut) instanceof LockStoreException failure) {
                    unknown = failure;
                }
            }
            Optional<AnyKeyAcquisition.Won> asked = acquisition.isEmpty() ? Optional.empty() : acquisition.ask();
            if (asked.isEmpty() && unknown != null) {
                throw unknown;
            }
            return asked.map(won -> handle(
                    won.request(), won.queue(), granted(won.queue(), won.lease(), deadline), deadline, Waiting.NONE));
        }
    }

    /** The keys before the one that was won were busy, those behind it were not needed. */
    private void reportOutcomes(
            List<ResolvedRequest> requests, Waiting first, @Nullable KeyHandle won, Deadline deadline) {
        for (int i = 0; i < requests.size(); i++) {
            ResolvedRequest request = requests.get(i);
            Waiting waiting = i == 0 ? first : observers.instrumentation().waiting(request);
            if (won != null && won.key().equals(request.name())) {
                waiting.acquired(won.fencingToken());
                return;
            }
            busy(request, waiting, "", deadline.waited());
        }
    }
}
