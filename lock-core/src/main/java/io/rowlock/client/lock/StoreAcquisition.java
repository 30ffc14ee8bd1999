package io.rowlock.client.lock;

import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.request.Deadline;
import io.rowlock.store.Attempt;
import io.rowlock.store.Backoff;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for one key, for the one thread of this process that may do so, until it is granted or the deadline is over.
 * However it ends, nothing is left behind: a lease that was acquired and is not handed out is released. Used by one thread.
 */
final class StoreAcquisition {
    private static final Duration SHORT = Duration.ofMillis(500);

    private final ThreadLock lock;
    private final Deadline deadline;

    /** The position in the queue of all processes that want the key, once there is one. */
    private @Nullable QueuePosition ticket;

    private boolean foundBusy;

    StoreAcquisition(ThreadLock lock, Deadline deadline) {
        this.lock = lock;
        this.deadline = deadline;
    }

    /**
     * Acquires the lease.
     *
     * @return it, kept alive
     * @throws LockNotAcquiredException if another owner had it until the deadline
     * @throws LockStoreException if the database could not be asked
     * @throws InterruptedException if the thread was interrupted while it waited
     */
    public HeldLease acquire() throws InterruptedException {
        HeldLease lease = null;
        try {
            boolean unused = clearPending();
            if (!deadline.isOver() && store().queue().isContended(lock.request.key())) {
                await(Duration.ofNanos(deadline.nanosLeft())); // to ask at once would be to overtake those that wait
            }
            while (lease == null) {
                lease = attempt();
            }
            return lease;
        } catch (NoConnectionException e) { // the database answers others
            throw e;
        } catch (LockStoreException e) {
            lock.guard.health.failed(e);
            throw e;
        } finally {
            if (ticket != null) {
                ticket.close();
            }
        }
    }

    private LeaseRequest asked() {
        return lock.request.leaseRequest(Duration.ofNanos(deadline.nanosLeft()));
    }

    private LockStore store() {
        return lock.request.store();
    }

    /**
     * Ends what attempts without an answer have left of the key. While there is time, the next attempt shows whether the database answers.
     *
     * @return whether there was something
     */
    private boolean clearPending() {
        try (LeaseEnding.Uninterrupted now = new LeaseEnding.Uninterrupted()) {
            return lock.process.pending.clear(lock.request.id(), deadline);
        } catch (LockStoreException e) {
            if (deadline.isOver()) {
                throw e;
            }
            return false;
        }
    }

    /** Waits until an attempt is worth while: in the queue of all processes, or for a moment if there is none. */
    private void await(Duration atMost) throws InterruptedException {
        lock.process.inFlight.await(() -> {
            if (ticket == null) {
                ticket = store().queue().join(asked()).orElse(null);
            }
            if (ticket == null) {
                Backoff.pauseAtRandom(atMost);
            } else {
                ticket.await(atMost);
            }
        });
    }

    /** @return null if it is worth another attempt */
    private @Nullable HeldLease attempt() throws InterruptedException {
        lock.process.inFlight.requireOpen();
        LeaseRequest asked = asked();
        long sent = lock.process.observers.ticker().nanoTime();
        lock.guard.health.asked(sent);
        Attempt answer;
        try (LeaseEnding.Uninterrupted now = new LeaseEnding.Uninterrupted()) {
            answer = ticket == null ? store().tryAcquire(asked) : ticket.tryAcquire(asked);
        } catch (NoConnectionException e) {
            await(patienceForConnection(e));
            return null;
        } catch (RuntimeException e) {
            if (isUncertain(e)) {
                lock.process.pending.abandon(lock.request, asked);
            }
            throw e;
        }
        lock.guard.health.answered();
        if (answer instanceof Attempt.Taken taken) {
            return leaseAfter(taken, sent);
        }
        if (deadline.isOver() || !clearPending()) { // else it was in its own way
            foundBusy = true;
            Optional<Holder> holder = ((Attempt.Busy) answer).holder();
            lock.guard.found(holder.map(Holder::owner).orElse(null));
            await(patience(holder));
        }
        return null;
    }

    /** Returns true if what failed so may have been done: no other error of a store says that it was not. */
    static boolean isUncertain(RuntimeException failure) {
        return failure instanceof UncertainOutcomeException || !(failure instanceof LockStoreException);
    }

    /** To wait for a connection is to wait for the key, and ends with the same deadline. */
    private Duration patienceForConnection(NoConnectionException reason) throws InterruptedException {
        boolean waits = deadline.patience() > 0;
        if (waits && Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (deadline.isOver()) {
            boolean down =
                    lock.guard.health.outage(lock.process.observers.ticker().nanoTime()) != null;
            throw !down && (foundBusy || (waits && reason.byWaiters()))
                    ? lock.guard.busy(lock.request, deadline)
                    : reason;
        }
        return Duration.ofNanos(Math.max(1, deadline.nanosLeft()));
    }

    // ---- what was granted

    /**
     * Returns the lease an attempt has brought.
     *
     * @param sent when the attempt was made
     * @return null if it is of no use, and worth another attempt
     */
    private @Nullable HeldLease leaseAfter(Attempt.Taken answer, long sent) throws InterruptedException {
        HeldLease lease = new HeldLease(
                answer.lease(), lock.request, sent, answer.promise().orElse(null), lock);
        boolean late = !lease.isHeld();
        boolean usable = false;
        try {
            if (!late) {
                lock.process.renewer.keep(lease);
            }
            answer.former().ifPresent(this::tookOver);
            usable = answer instanceof Attempt.Draining ? drained(lease) : isUsable(lease);
        } finally {
            if (!usable) {
                releaseUnused(lease);
            }
        }
        if (usable) {
            return lease;
        }
        lock.process.inFlight.requireOpen();
        if (deadline.isOver()) {
            String because = late
                    ? "the answer came later than its ttl of %s; look at the server's load"
                            .formatted(Printable.of(lock.request.ttl()))
                    : lease.notHeldBecause();
            throw new LockStoreException(
                    "The lock \"%s\" was granted, but %s".formatted(lock.request.name(), because), null);
        }
        return null;
    }

    private void tookOver(ExpiredLease former) {
        lock.process.observers.expired(ObservedLock.of(lock.request), former);
    }

    private boolean isUsable(HeldLease lease) {
        return lease.isHeld() && lock.process.inFlight.isOpen();
    }

    /** In the background, because the caller's time may be over; but a client that is being closed has none any more. */
    private void releaseUnused(HeldLease lease) {
        if (lock.process.inFlight.isOpen()) {
            lock.process.background.later(() -> lease.ending.release(lease), 0);
        } else {
            lease.ending.release(lease);
        }
    }

    /** Waits until no reader is left, while newcomers are kept out. */
    private boolean drained(HeldLease lease) throws InterruptedException {
        Backoff backoff = new Backoff();
        boolean complete = false;
        while (!complete && isUsable(lease)) {
            Drained drained;
            try (LeaseEnding.Uninterrupted now = new LeaseEnding.Uninterrupted()) {
                drained = store().drained(lease.lease());
            }
            drained.expired().forEach(this::tookOver);
            complete = drained.complete();
            if (!complete && drained.expired().isEmpty()) { // a look that removed some may have failed after that
                pause(backoff, lease);
            }
        }
        return complete && isUsable(lease);
    }

    private void pause(Backoff backoff, HeldLease lease) throws InterruptedException {
        if (deadline.isOver()) {
            throw busy(() -> {
                lease.ending.release(lease); // before the holder is looked for, which must not be this lease
                return lookForHolder();
            });
        }
        Duration left = Duration.ofNanos(deadline.nanosLeft());
        lock.process.inFlight.await(() -> backoff.pause(left));
    }

    // ---- what was busy

    /** Returns the longest useful wait for a key that is held. */
    private Duration patience(Optional<Holder> holder) {
        long left = deadline.nanosLeft();
        if (left <= 0) {
            throw holder.isPresent() ? lock.guard.busy(lock.request, deadline) : busy(this::lookForHolder);
        }
        long useful = holder.map(other -> other.remaining().toNanos() + 1_000).orElse(left);
        return Duration.ofNanos(Math.max(1, Math.min(left, useful)));
    }

    /** The holder is worth a question, but no further wait. */
    private LockNotAcquiredException busy(Supplier<Optional<Holder>> question) {
        Optional<Holder> holder = lock.process.background.ask(question, SHORT).orElse(Optional.empty());
        lock.guard.found(holder.map(Holder::owner).orElse(null));
        return lock.guard.busy(lock.request, deadline);
    }

    private Optional<Holder> lookForHolder() {
        return store().inspection().flatMap(inspection -> inspection.holder(lock.request.key(), lock.request.mode()));
    }
}
