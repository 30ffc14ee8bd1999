package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.event.EventFactory;
import io.rowlock.client.event.LockInstrumentation;
import io.rowlock.client.event.Observers;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.queue.LocalQueue;
import io.rowlock.client.queue.SharedLease;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread's lock on one key: all its grants, nested ones too, and every open transaction that keeps it. It
 * ends when the last grant is closed and the last such transaction has completed, whichever is later. If only shared
 * grants are left of an exclusive lock, it becomes a shared one without a gap.
 *
 * <p>Thread-safe: {@code this} guards the fields; the database is asked without it.
 */
final class ThreadLock {
    private static final Logger logger = LoggerFactory.getLogger(ThreadLock.class);

    private final LockId id;
    private final LocalQueue queue;
    private final ThreadLocks threadLocks;
    private final LockLog log;
    private final EventFactory events;
    private final Observers observers;
    private final LockInstrumentation.Holding holding;
    private final Runnable whenEnded;

    /** Its own, which stays the same whatever becomes of the lease. */
    private final long token;

    private final ThreadLockState state;
    private SharedLease shared;
    private LoggedLease logged;
    private @Nullable Thread owner;

    /** Whether other threads of the process go on with its lease, which was not lost when it ended. */
    private boolean leftToOthers;

    private @Nullable Executor abandonedTo;

    /**
     * @param events the events of the request it was granted to
     * @param shared the lease it has, which it leaves when it ends
     * @param queue the queue of its key
     * @param whenEnded what to do when it has ended
     * @throws LockStoreException if the log could not note it and must not miss it
     */
    ThreadLock(
            EventFactory events,
            SharedLease shared,
            LocalQueue queue,
            ThreadLocks threadLocks,
            LockLog log,
            Observers observers,
            Runnable whenEnded) {
        this.id = events.request().id();
        this.state = new ThreadLockState(events.request().mode());
        this.shared = shared;
        this.queue = queue;
        this.threadLocks = threadLocks;
        this.log = log;
        this.events = events;
        this.observers = observers;
        this.whenEnded = whenEnded;
        this.token = shared.lease().token();
        this.holding = observers.instrumentation().holding(events.request(), token);
        try {
            this.logged = logged(shared.lease(), events.waited());
        } catch (LockStoreException e) {
            holding.failed(e);
            throw e;
        }
    }

    private LoggedLease logged(ManagedLease granted, Duration waited) {
        LockLog.Entry entry =
                log.granted(granted.store().strategy(), granted.lease().as(mode()), token, waited);
        LoggedLease created = new LoggedLease(granted, entry, holding);
        granted.onEnd(created);
        return created;
    }

    /** A lease of the lock as the log shows it. */
    private record LoggedLease(ManagedLease lease, LockLog.Entry entry, LockInstrumentation.Holding holding)
            implements Runnable {
        /** The lease has ended. */
        @Override
        public void run() {
            if (lease.isGone()) {
                entry.lost();
                holding.lost();
            } else if (lease.isReleaseConfirmed()) {
                entry.released();
            } else {
                lease.onLateRelease(entry::released);
            }
        }

        /** Other threads go on with the lease. @return whether what becomes of it does not matter any more: it is not lost */
        boolean leaveToOthers() {
            return lease.noLongerOnEnd(this);
        }
    }

    /** How it is held now. */
    synchronized LockMode mode() {
        return state.mode();
    }

    LockId id() {
        return id;
    }

    synchronized ManagedLease lease() {
        return shared.lease();
    }

    /** The token that all its handles show. */
    long token() {
        return token;
    }

    void notifyAcquired() {
        observers.events().notify(events.acquired(lease().lease(), token));
    }

    /** @see io.rowlock.HeldLock#extend */
    void extend(Duration ttl) {
        queue.extend(shared(), ttl);
    }

    private synchronized SharedLease shared() {
        return shared;
    }

    /** @see io.rowlock.HeldLock#onLost */
    void onLost(Consumer<LockEvent> action) {
        lease().onLost(event -> {
            if (!isLeftToOthers()) {
                action.accept(event);
            }
        });
    }

    /** Interrupts {@code body} if its lease is lost. */
    void interruptOnLost(LossInterrupts.Body body) {
        lease().onLostFirst(body::lostUnlessFoundOut).ifPresent(body::lost);
    }

    private synchronized boolean isLeftToOthers() {
        return leftToOthers;
    }

    /** Makes the calling thread its owner. */
    void ownedByCaller() {
        synchronized (this) {
            owner = Thread.currentThread();
        }
        threadLocks.add(Thread.currentThread(), this);
    }

    /** Whether it is a lock of that client. */
    boolean isOf(ThreadLocks client) {
        return threadLocks == client;
    }

    /** Whether the calling thread owns it. */
    synchronized boolean isOfCaller() {
        return owner == Thread.currentThread();
    }

    /** The calling thread relies on it. */
    CommitGuard rely() {
        return rely(List.of(this));
    }

    /** The calling thread relies on all of them, which are of one client. */
    static CommitGuard rely(List<ThreadLock> locks) {
        return new CommitGuard(locks.get(0).threadLocks, locks);
    }

    /** @return whether its lease was lost before it was released */
    boolean isLost() {
        return !isLeftToOthers() && lease().wasLost();
    }

    /** @return whether its lease, which is not renewed, has run out */
    boolean hasRunOut() {
        return lease().hasRunOut();
    }

    /** It ends, though grants of it are open: its lease has run out and will not come back. */
    void drop() {
        synchronized (this) {
            if (!state.drop()) {
                return;
            }
        }
        TransactionBoundLocks.rely(List.of(this));
        end();
    }

    /**
     * Its thread has ended without closing it.
     *
     * @param grantsOfViews how many of its grants only that thread could close; once there are no others, it is left to its
     *     ttl, though a transaction of that thread keeps it
     * @param background where the database may be asked
     * @return whether another thread can still close it
     */
    boolean abandoned(int grantsOfViews, Executor background) {
        boolean closable;
        synchronized (this) {
            owner = null;
            abandonedTo = background;
            state.abandoned(grantsOfViews);
            closable = state.isClosable();
        }
        observers.instrumentation().abandoned(events.request());
        if (!closable) {
            leaveToTtl(background);
        }
        return closable;
    }

    private void leaveToTtl(Executor background) {
        SharedLease present = shared();
        if (queue.leaveToTtl(present, this::isOpen)) {
            present.lease().onEnd(() -> background.execute(this::drop));
        } else {
            background.execute(this::drop); // other threads go on with the lease, if it has not ended
        }
    }

    private synchronized boolean isOpen() {
        return !state.isEnded();
    }

    String name() {
        return lease().request().name();
    }

    Duration age() {
        return events.age();
    }

    /** @throws LockLostException if it was dropped, so that not all that was done under it was done under a lock */
    void requireNotDropped() {
        if (isDropped()) {
            throw lease().refusal(token, "it ran out, and the thread has taken it anew since");
        }
    }

    private synchronized boolean isDropped() {
        return state.isDropped();
    }

    /** @throws LockLostException if it has ended, though another thread of this process may go on with its lease */
    synchronized void requireNotEnded() {
        if (state.isEnded()) {
            throw lease().refusal(token, "it was released");
        }
    }

    /** Whether a permit and an exclusive lock of one key would meet. */
    boolean isInTheWayOf(ResolvedRequest wanted) {
        LockId other = wanted.id();
        return id.permit() != other.permit()
                && id.key().equals(other.key())
                && id.strategy().equals(other.strategy())
                && (mode() == LockMode.EXCLUSIVE || wanted.mode() == LockMode.EXCLUSIVE)
                && lease().isHeld();
    }

    /** From now on it belongs to no thread. */
    void detach() {
        Thread former;
        synchronized (this) {
            former = owner;
            owner = null;
        }
        if (former != null) {
            threadLocks.remove(former, this);
        }
    }

    /**
     * One more grant of it.
     *
     * @return false if it has just ended, so that it must be taken anew
     * @throws LockLostException if it is lost: no body runs under it
     * @throws UpgradeRefusedException if it is shared and the grant is to be exclusive
     * @throws IllegalStateException if it is not renewed and the grant is to be
     */
    synchronized boolean enter(ResolvedRequest wanted) {
        if (state.isEnded()) {
            return false;
        }
        if (state.isInUse()) {
            if (!state.mode().covers(wanted.mode())) {
                throw new UpgradeRefusedException(wanted, state.mode());
            }
            lease().requireHeld();
            requireRenewalFor(wanted);
        }
        state.enter(wanted.mode());
        return true;
    }

    private void requireRenewalFor(ResolvedRequest wanted) {
        if (wanted.asked().renewal() && !lease().isRenewed()) {
            throw new IllegalStateException(
                    ("The thread holds \"%s\" without renewal and asks for it with renewal: the outer code counts on it to end"
                                    + " with its ttl, so renew the outer one, or do not ask for renewal in the inner one")
                            .formatted(Printable.of(wanted.name())));
        }
    }

    /**
     * Makes the lease last as long as a nested grant asks, never shorter.
     *
     * @throws LockLostException if it is lost
     * @throws LockStoreException if the database could not be asked
     */
    void extendFor(ResolvedRequest nested) {
        if (nested.asked().ttl() && lease().isShorterThan(nested.ttl())) {
            extend(nested.ttl());
        }
    }

    /** A grant is closed. */
    void leave(LockMode closed) {
        Executor abandoned;
        synchronized (this) {
            state.leave(closed);
            abandoned = state.isClosable() ? null : abandonedTo;
        }
        settle();
        if (abandoned != null) {
            leaveToTtl(abandoned);
        }
    }

    /** A transaction keeps it. */
    synchronized void keptByTransaction() {
        state.keptByTransaction();
    }

    /** That transaction has completed. */
    void transactionCompleted() {
        synchronized (this) {
            state.transactionCompleted();
        }
        settle();
    }

    /** A transaction it guarded has committed. */
    void committed() {
        logged().entry().completed();
    }

    private void settle() {
        ThreadLockState.Change change;
        synchronized (this) {
            change = state.settle();
        }
        switch (change) {
            case NONE -> {}
            case DOWNGRADE -> downgrade();
            case END -> end();
        }
    }

    private void downgrade() {
        ManagedLease exclusive = lease();
        try {
            ManagedLease downgraded = exclusive.downgrade();
            if (downgraded != null) {
                become(downgraded);
            }
        } catch (LockStoreException e) {
            logger.warn("\"{}\" stays exclusive until it is released: {}", Printable.of(id.key()), e.getMessage());
        }
        synchronized (this) {
            state.downgradeEnded();
        }
        settle();
    }

    /** From here on the shared lease is the one that is held and released, noted or not. */
    private void become(ManagedLease lease) {
        synchronized (this) {
            shared = shared.replacedBy(lease);
        }
        try {
            LoggedLease next = logged(lease, Duration.ZERO);
            synchronized (this) {
                logged = next;
            }
        } catch (LockStoreException e) {
            logger.warn(
                    "\"{}\" is held shared from now on, but the log does not say so: {}",
                    Printable.of(id.key()),
                    e.getMessage());
        }
    }

    private void end() {
        detach();
        SharedLease present = shared();
        ManagedLease last = present.lease();
        try {
            if (queue.leave(present, this::leaveToOthers)) {
                last.release();
            }
        } catch (RuntimeException e) {
            holding.failed(e);
            last.onLateRelease(() -> released(last.lease()));
            throw e;
        } finally {
            whenEnded.run();
        }
        if (isLost()) {
            holding.lost();
        } else {
            holding.released();
            released(last.lease());
        }
    }

    /** Before the next holder can lose the lease, so that this one is not notified of it. */
    private synchronized void leaveToOthers() {
        leftToOthers = logged.leaveToOthers();
    }

    private void released(Lease last) {
        logged().entry().released();
        observers.events().notify(events.released(last, token, mode()));
    }

    private synchronized LoggedLease logged() {
        return logged;
    }
}
