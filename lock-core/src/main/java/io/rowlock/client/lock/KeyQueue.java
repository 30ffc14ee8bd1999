package io.rowlock.client.lock;

import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.KeyQueues.StoreHealth;
import io.rowlock.client.lock.ThreadLock.State;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.ResolvedRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads of this process that want one key, first come, first served. The first of them may ask the store as soon as
 * no other thread of the process does so, or holds an exclusive lease of the key. It may do so until it has failed, or until
 * the exclusive lease it got has ended; a reader only until it has its lease. The threads behind it join or follow without
 * asking, as far as the {@link HeldLease} admits them.
 *
 * <p>Thread-safe. The queue is the guard of all that concerns its key: of its own fields, and of those of every
 * {@link ThreadLock} and {@link HeldLease} of the key. Nothing else is locked, called or waited for under it.
 */
final class KeyQueue {
    /** A waiter looks at its queue again after a second, without a statement: an error, as of a full stack, may have kept another thread from admitting or waking it. */
    private static final long LOOK_AGAIN = 1_000_000_000;

    final Handoff handoff;
    final StoreHealth health;
    private final InFlightThreads inFlight;
    private final Deque<ThreadLock> waiters = new ArrayDeque<>();

    /** Threads that no longer have to wait, and are woken without the guard: each would stop at it at once. */
    private final Queue<Thread> woken = new ConcurrentLinkedQueue<>();

    /** The thread that asks the store; one at a time. */
    private @Nullable ThreadLock asker;

    /** The lease that threads may join or follow. Until an exclusive one has ended, no thread asks the store. */
    private @Nullable HeldLease present;

    /** The owner that the thread which asks the store has found. */
    private @Nullable String found;

    /** The number of threads that wait in the queue, ask the store or hold a lease of it. Guarded by {@link KeyQueues}. */
    int users;

    /**
     * @param health of the store that has the key, whatever queue asks it
     * @param inFlight knows whether threads are admitted
     */
    KeyQueue(Handoff handoff, StoreHealth health, InFlightThreads inFlight) {
        this.handoff = handoff;
        this.health = health;
        this.inFlight = inFlight;
    }

    /** Checks that the calling thread may call out: no store, observer or listener is called under the guard. */
    void assertNotHeld() {
        assert !Thread.holdsLock(this) : "nothing is called out under the guard of a key";
    }

    // ---- waiting

    /**
     * Waits for admission, up to {@code nanos}. Unless the waiter is granted a lease, it has to be {@linkplain #forget forgotten}.
     *
     * @return the state of the waiter: ASKING, until it is granted a lease; JOINED; REJECTED; or WAITING if the time is over
     */
    public State enter(ThreadLock waiter, long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        synchronized (this) {
            if (!inFlight.isOpen()) {
                return State.REJECTED;
            }
            waiters.addLast(waiter);
        }
        while (true) {
            long left = end - System.nanoTime();
            State state;
            synchronized (this) {
                if (waiter.state == State.WAITING) {
                    admit();
                }
                state = waiter.state;
                if (state == State.WAITING && (left <= 0 || Thread.interrupted())) {
                    waiters.remove(waiter); // no thread uses what it would be granted from now on
                    if (left > 0) {
                        throw new InterruptedException();
                    }
                    return state;
                }
            }
            wake();
            if (state != State.WAITING) {
                return state;
            }
            LockSupport.parkNanos(this, Math.min(left, LOOK_AGAIN));
        }
    }

    /** Removes a thread that will not begin its lock from the queue, also if it is the one that asks, and from its lease. */
    void forget(ThreadLock lock) {
        synchronized (this) {
            waiters.remove(lock);
            asker = asker == lock ? null : asker;
            admit();
        }
        wake();
        lock.giveUp();
    }

    /** Returns what a thread has to know whose wait has timed out: a key that this process does not hold is not busy while its store is down. */
    @Nullable
    synchronized LockStoreException outage(long now) {
        return present == null ? health.outage(now) : null;
    }

    /** Notes which owner the store has named, if any, to the thread that asks. */
    synchronized void found(@Nullable String owner) {
        found = owner;
    }

    /** Names the owner that has the key, as far as is known: this process, or the one that was found last. */
    synchronized LockNotAcquiredException busy(ResolvedRequest asked, Deadline deadline) {
        return new LockNotAcquiredException(asked.name(), deadline.waited(), present == null ? found : asked.owner());
    }

    private void admit() {
        if (asker != null && !asker.claims()) {
            asker = null; // an error kept its thread from saying so
        }
        ThreadLock first = waiters.peekFirst();
        try {
            while (first != null && (first.first.givenUp || admit(first))) {
                waiters.removeFirst();
                first = waiters.peekFirst();
            }
        } catch (RuntimeException | Error e) {
            for (Thread next = woken.poll(); next != null; next = woken.poll()) {
                LockSupport.unpark(next); // admitted before; the caller does not come to them
            }
            throw e;
        }
    }

    private boolean admit(ThreadLock waiter) {
        HeldLease lease = present;
        if (lease != null && lease.admits(waiter.request)) {
            wakeLater(waiter);
            lease.join(waiter);
            waiter.holds(lease);
            waiter.state = State.JOINED;
            return true;
        }
        if (asker != null || (lease != null && lease.lease().mode() == LockMode.EXCLUSIVE)) {
            return false;
        }
        wakeLater(waiter);
        asker = waiter;
        present = null;
        found = null;
        waiter.state = State.ASKING;
        return true;
    }

    /** Comes before all that changes a waiter, as it may fail. The calling thread is left out: the first park in its body would end at once. */
    private void wakeLater(ThreadLock waiter) {
        if (waiter.waiter != Thread.currentThread()) {
            woken.add(waiter.waiter);
        }
    }

    private void wake() {
        assertNotHeld();
        for (Thread next = woken.poll(); next != null; next = woken.poll()) {
            LockSupport.unpark(next);
        }
    }

    /** Rejects all waiters. Holders are unaffected. */
    void rejectWaiters() {
        synchronized (this) {
            waiters.forEach(this::wakeLater);
            waiters.forEach(waiter -> waiter.state = State.REJECTED);
            waiters.clear();
        }
        wake();
    }

    /** Returns how many threads wait: in the queue, or for the database. */
    synchronized int waiting() {
        return waiters.size() + (asker == null ? 0 : 1);
    }

    // ---- asking the store

    /** Returns true if another thread than the calling one asks the store, which may grant a lease at any moment. */
    synchronized boolean isAskedByAnother() {
        return asker != null && asker.claims() && asker.waiter != Thread.currentThread();
    }

    /** Gives the lease that the store granted to the thread that asked. */
    public void granted(HeldLease lease, ThreadLock holder) {
        synchronized (this) {
            asker = null;
            lease.granted(holder);
            holder.holds(lease);
            present = lease.isOpen() ? lease : null;
            admit();
        }
        wake();
    }

    /** A lease was released or lost. One that was not granted to a thread leaves the asking thread as it is. */
    void ended(HeldLease lease) {
        synchronized (this) {
            if (lease.lease().mode() == LockMode.EXCLUSIVE && lease == present) {
                present = null;
                admit();
            }
        }
        wake();
    }

    // ---- leaving

    /**
     * Removes a holder from its lease. If it was the last, the next waiter follows, or the lease is to be released. If only the
     * limits of the hand-off would keep the next waiter from following, they begin anew unless another process waits, for which the store
     * is asked while the thread still holds the lease.
     *
     * @return true if no thread follows and none will, so that the caller has to release the lease
     */
    boolean leave(ThreadLock holder, HeldLease lease) {
        assertNotHeld();
        List<ThreadLock> losers;
        boolean inQuestion;
        boolean followed;
        synchronized (this) {
            losers = lease.loseIfOverdue();
            ThreadLock first = waiters.peekFirst();
            inQuestion = lease == present && first != null && lease.isOnlyLimitedFor(first.request);
            followed = !inQuestion && isFollowed(holder, lease);
        }
        wake();
        lease.ending.lost(lease, losers);
        if (inQuestion) {
            boolean waitedFor = isWaitedFor(lease);
            synchronized (this) {
                if (!waitedFor) {
                    lease.prolong();
                }
                followed = isFollowed(holder, lease);
            }
            wake();
        }
        return !followed;
    }

    private boolean isFollowed(ThreadLock holder, HeldLease lease) {
        lease.holders.remove(holder);
        if (!lease.isUsed() && lease == present) {
            admit();
        }
        if (lease.isUsed()) {
            holder.state = lease.isOpen() ? State.HANDED_ON : State.ENDED;
            return true;
        }
        lease.holders.add(holder); // it is notified of what becomes of the lease
        present = lease == present && lease.lease().mode() != LockMode.EXCLUSIVE ? null : present;
        lease.handOnNoMore(); // it is about to be released
        return false;
    }

    /** Asks the database whether another process is seen to wait. */
    private static boolean isWaitedFor(HeldLease lease) {
        try (LeaseEnding.Uninterrupted now = new LeaseEnding.Uninterrupted()) {
            return lease.store().queue().isWaitedFor(lease.lease());
        } catch (RuntimeException | Error e) {
            return true; // whatever it was, the lease must be released
        }
    }
}
