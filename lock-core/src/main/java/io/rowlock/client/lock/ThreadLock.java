package io.rowlock.client.lock;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.observe.LockInstrumentation.Incident;
import io.rowlock.client.observe.Observation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.request.ResolvedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of a thread on a key, from its wait to its end: all its grants, nested ones too, and every open transaction that keeps
 * it. The description of this package has the events that change its {@link State}.
 *
 * <p>Thread-safe. The {@link KeyQueue} of its key guards every field. What is volatile is written under it, too, and read alone without it.
 */
final class ThreadLock {
    private static final Logger logger = LoggerFactory.getLogger(ThreadLock.class);

    enum State {
        WAITING,
        /** Its thread asks the store. */
        ASKING,
        /** Holds a lease of the process, but its thread has not woken up yet. */
        JOINED,
        /** Rejected, as the client is closed. */
        REJECTED,
        HELD,
        DOWNGRADING,
        /** Its lease is released or lost. */
        ENDED,
        /** Other threads of the process go on with its lease, which was not lost when it ended. */
        HANDED_ON
    }

    /** A grant of it, which a handle of the program closes. */
    public final class Grant {
        final ResolvedRequest request;

        /** True if it is being closed, or no thread can close it: the lease is not renewed for it. A field, to be set before all else. */
        volatile boolean givenUp;

        /** True if no other thread than that of the lock can close it. */
        volatile boolean endsWithItsThread;

        private volatile boolean detached;

        private Grant(ResolvedRequest request) {
            this.request = request;
        }

        public ThreadLock lock() {
            return ThreadLock.this;
        }

        boolean isClosed() {
            synchronized (guard) {
                return !grants.contains(this);
            }
        }

        /** Detaches it from the thread of the lock, which keeps the lock as long as it has another grant. */
        void detach() {
            detached = true;
            detachUnlessUsed();
        }

        /**
         * Calls {@code action} if the lease is lost, on the thread that finds the loss, or {@code late} if it is lost already. Not if it is
         * closed by then and the lock has another grant.
         */
        void onLost(Consumer<LockEvent> action, Consumer<LockEvent> late) {
            guard.assertNotHeld();
            synchronized (guard) {
                if (isForgotten()) {
                    return;
                }
                if (state != State.HANDED_ON && lease().isOpen()) {
                    lossActions
                            .computeIfAbsent(this, grant -> new ArrayList<>(1))
                            .add(action);
                    return;
                }
            }
            if (isLost()) {
                late.accept(lease().event(LockEvent.Type.LOST));
            }
        }

        /** Returns true if it is closed, and others are open for which alone the lock lasts: a transaction that keeps the lock does so for it, too. */
        private boolean isForgotten() {
            return !grants.isEmpty() && keepers.isEmpty() && !grants.contains(this);
        }

        /** Closes it; harmless if it is closed. */
        void close() {
            synchronized (guard) {
                if (!grants.remove(this)) {
                    return;
                }
                if (isForgotten()) {
                    lossActions.remove(this);
                }
            }
            detachUnlessUsed();
            settle();
        }
    }

    /** The request that the thread made first. */
    final ResolvedRequest request;

    final KeyQueue guard;
    final ProcessLocks process;
    final Observation observation;
    final Thread waiter = Thread.currentThread();

    /** The grant that it waits for. */
    final Grant first;

    volatile State state = State.WAITING;
    private volatile @Nullable HeldLease lease;
    private volatile LockMode mode;
    private final List<OpenTransaction> keepers = new ArrayList<>(0);
    private final List<Grant> grants = new ArrayList<>(1);
    private final Map<Grant, List<Consumer<LockEvent>>> lossActions = new LinkedHashMap<>(0);

    /** Its own, which stays the same whatever becomes of the lease. Not written any more once another thread sees it. */
    private long token;

    /** @param guard the queue of its key, which the thread uses until the lock has ended */
    ThreadLock(ResolvedRequest request, KeyQueue guard, ProcessLocks process, Observation observation) {
        this.request = request;
        this.guard = guard;
        this.process = process;
        this.observation = observation;
        this.mode = request.mode();
        this.first = new Grant(request);
        grants.add(first);
    }

    public ResolvedRequest.Id id() {
        return request.id();
    }

    // ---- its wait; called by the queue, under the guard

    /** @param granted its lease, or the shared one that this has become: then its token stays the same */
    void holds(HeldLease granted) {
        token = lease == null ? granted.token() : token;
        lease = granted;
    }

    /** Gives the lease up that it has got, if any, and may join the queue again: it has not begun, or was lost before the thread woke up. */
    void giveUp() {
        process.threadLocks.remove(waiter, this);
        HeldLease given = lease;
        if (given == null) {
            return;
        }
        boolean last = guard.leave(this, given);
        synchronized (guard) {
            state = State.WAITING;
            lease = null;
        }
        if (last) {
            given.ending.release(given);
        }
    }

    // ---- its grants

    /** Begins the lock, which has its lease by now, with the first grant of the calling thread. */
    void begin(Duration waited) {
        guard.assertNotHeld();
        HeldLease granted = lease();
        process.threadLocks.add(waiter, this); // before listeners are called, which may ask whether it is held
        observation.acquired(granted.lease().as(mode), token, waited);
        boolean over;
        synchronized (guard) {
            state = State.HELD; // last: from now on its loss may end it
            over = !granted.isOpen();
        }
        if (over && isLost()) {
            observation.lost(); // before it could be notified
        } else if (over && granted.is(HeldLease.Phase.RELEASED)) {
            leaseReleased(granted); // by a client that is closed meanwhile
        }
    }

    /**
     * Adds a grant.
     *
     * @return null if it has just ended or been detached from its thread, so that it must be acquired anew
     * @throws LockLostException if it is lost: no body runs under it, nor under another lease before the thread has closed it
     * @throws ThreadLocks.UpgradeRefusedException if it is shared and the grant is to be exclusive
     * @throws IllegalStateException if it is not renewed and the grant is to be
     */
    public @Nullable Grant enter(ResolvedRequest wanted) {
        synchronized (guard) {
            if (isEnded() || isDetached()) {
                return null;
            }
            if (!mode.covers(wanted.mode())) {
                throw new ThreadLocks.UpgradeRefusedException(wanted, mode);
            }
            requireUsable();
            requireRenewalFor(wanted);
            Grant next = new Grant(wanted);
            grants.add(next);
            return next;
        }
    }

    private void requireUsable() {
        if (!lease().isHeld()) {
            throw new LockLostException(
                    request.name(),
                    token,
                    "it is no longer held, and the thread \"%s\", which acquired it %d s ago, has to close it before it can acquire it again"
                            .formatted(
                                    Printable.of(waiter.getName()),
                                    observation.age().toSeconds()));
        }
    }

    private void requireRenewalFor(ResolvedRequest wanted) {
        if (Boolean.TRUE.equals(wanted.asked().renewal()) && !lease().isRenewed()) {
            throw new IllegalStateException(
                    ("The thread holds \"%s\" without renewal and asks for it with renewal: the outer code counts on it to end"
                                    + " with its ttl, so renew the outer one, or do not ask for renewal in the inner one")
                            .formatted(Printable.of(wanted.name())));
        }
    }

    /**
     * Makes the lease last at least {@code ttl} from now, never shorter than before.
     *
     * @throws LockLostException if it is lost
     * @throws LockStoreException if the database could not be asked
     */
    public void extend(Duration ttl) {
        HeldLease asked = lease();
        try {
            process.renewer.extend(asked, ttl);
        } catch (LockLostException e) {
            if (lease() == asked) {
                throw e;
            }
            extend(ttl); // it has become shared meanwhile
        }
    }

    /** Returns true if a thread uses it, or will, and can close it, as far as can be seen. Its lease is renewed for that. */
    boolean claims() {
        synchronized (guard) {
            return !isEnded() && (isKept() || grants.stream().anyMatch(grant -> !grant.givenUp));
        }
    }

    void keptBy(OpenTransaction transaction) {
        synchronized (guard) {
            keepers.remove(transaction); // so that it is there once
            keepers.add(transaction);
        }
    }

    boolean isKept() {
        synchronized (guard) {
            if (keepers.removeIf(OpenTransaction::isOver)) {
                lossActions.keySet().removeIf(Grant::isForgotten);
            }
            return !keepers.isEmpty();
        }
    }

    /** Ends it, or makes it shared, if nothing of it is left that needs it as it is. What no thread can close ends with its lease. */
    void settle() {
        State next = State.HELD;
        synchronized (guard) {
            if (state != State.HELD || isKept()) {
                return;
            }
            if (grants.isEmpty() || (!claims() && !lease().isHeld())) {
                next = State.ENDED;
            } else if (mode == LockMode.EXCLUSIVE
                    && grants.stream().noneMatch(grant -> grant.request.mode() == LockMode.EXCLUSIVE)) {
                next = State.DOWNGRADING;
                mode = LockMode.SHARED;
            }
            state = next;
        }
        if (next == State.ENDED) {
            end();
        } else if (next == State.DOWNGRADING) {
            try {
                downgrade();
            } finally {
                synchronized (guard) {
                    state = State.HELD;
                }
                settle();
            }
        }
    }

    private void downgrade() {
        guard.assertNotHeld();
        try {
            HeldLease shared = lease().ending.downgrade(lease(), this);
            if (shared != null) {
                observation.downgraded(shared.lease(), token);
            }
        } catch (LockStoreException e) {
            logger.warn(
                    "\"{}\" stays exclusive until it is released: {}", Printable.of(request.name()), e.getMessage());
        }
    }

    private void end() {
        guard.assertNotHeld();
        process.threadLocks.remove(waiter, this);
        HeldLease last = lease();
        try {
            if (guard.leave(this, last)) {
                last.ending.release(last);
            }
        } catch (RuntimeException | Error e) {
            observation.unanswered(e);
            throw e;
        } finally {
            process.queues.leave(id());
        }
        if (isLost()) {
            observation.lost();
        } else if (state == State.HANDED_ON) {
            leaseReleased(last);
        }
    }

    // ---- what becomes of its lease; called without the guard

    void leaseReleased(HeldLease released) {
        guard.assertNotHeld();
        if (isBegunWith(released)) {
            observation.released(released.lease(), token, mode());
        }
    }

    void leaseLost(HeldLease lost, LockEvent event) {
        guard.assertNotHeld();
        List<Consumer<LockEvent>> actions;
        synchronized (guard) {
            if (!isBegunWith(lost)) {
                return;
            }
            actions = lossActions.values().stream().flatMap(List::stream).toList();
        }
        actions.forEach(action -> action.accept(event));
        observation.lost();
        settle();
    }

    /** Returns false of a lease that was lost before the thread woke up, which may have another one by now. */
    private boolean isBegunWith(HeldLease asked) {
        return state.compareTo(State.HELD) >= 0 && lease == asked;
    }

    /** Returns true if its lease was lost before it was released. */
    public boolean isLost() {
        return state != State.HANDED_ON && lease().lostBecause() != null;
    }

    // ---- what it is

    /** Returns how it is held now; an exclusive lock that is being downgraded counts as shared. */
    public LockMode mode() {
        return mode;
    }

    public HeldLease lease() {
        return Objects.requireNonNull(lease, "no lease yet");
    }

    /** Returns the token that all its handles show. */
    public long token() {
        return token;
    }

    /** Returns true if a handle of it is not closed. */
    boolean isEntered() {
        synchronized (guard) {
            return !grants.isEmpty();
        }
    }

    boolean isEnded() {
        return state.compareTo(State.ENDED) >= 0;
    }

    // ---- its thread

    /** Detaches it from its thread if all grants that are left are detached: then it cannot be entered again. */
    private void detachUnlessUsed() {
        if (isDetached()) {
            process.threadLocks.remove(waiter, this);
        }
    }

    private boolean isDetached() {
        synchronized (guard) {
            return !grants.isEmpty() && grants.stream().allMatch(grant -> grant.detached);
        }
    }

    /**
     * Notes that its thread has ended: transactions of it will not complete, and handles of views will not be closed. Ends it if its lease
     * is lost, which asks no database.
     */
    public void abandoned() {
        guard.assertNotHeld();
        synchronized (guard) {
            keepers.clear();
            grants.stream().filter(grant -> grant.endsWithItsThread).forEach(grant -> grant.givenUp = true);
        }
        process.observers.measure(meters -> meters.count(Incident.ABANDONED, ObservedLock.of(request)));
        if (!lease().isHeld()) {
            settle();
        }
    }
}
