package io.rowlock.client.transaction;

import io.rowlock.HeldLock;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.Printable;
import io.rowlock.client.lock.InFlightThreads;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.client.observe.Observation;
import io.rowlock.client.observe.ObservedLock;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.store.Lease;
import io.rowlock.store.TransactionLocks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Acquires locks that are part of the calling thread's transaction. Thread-safe.
 *
 * <p>Under REPEATABLE READ a transaction goes on to read data as it was at its first read, so a lock that it acquires later does
 * not show it what the holder before has committed. Therefore the lock comes first, with {@link #prepare}, or the
 * transaction must be READ COMMITTED.
 */
public final class TransactionLockAcquirer {
    /** Between the creation of a row and the lock on it, a clean-up can remove it. */
    private static final int MOST_LOOKS = 3;

    final TransactionLocks locks;
    final InFlightThreads inFlight;
    final LocalQueues queues = new LocalQueues();

    /** The transactions that have such locks, the suspended ones too. */
    final Set<TransactionScope> open = ConcurrentHashMap.newKeySet();

    final RequestResolver resolver;
    private final Observers observers;

    /** A key on its way to a lock. */
    record Attempt(ObservedLock lock, String key, Observation observation) {}

    public TransactionLockAcquirer(
            TransactionLocks locks, RequestResolver resolver, InFlightThreads inFlight, Observers observers) {
        this.locks = locks;
        this.resolver = resolver;
        this.inFlight = inFlight;
        this.observers = observers;
    }

    /**
     * Checks a request without acquiring anything.
     *
     * @throws IllegalArgumentException if it asks for what such a lock cannot be
     */
    public void validate(LockRequest request) {
        if (request.mode() == LockMode.PERMIT) {
            throw new IllegalArgumentException("Strategy \"%s\" has no permits".formatted(TransactionLocks.STRATEGY));
        }
        refuse(request.ttl() != null, "ttl");
        refuse(request.renewal() != null, "renewal");
        refuse(!request.holdAtLeast().isZero(), "holdAtLeast");
        refuse(request.onLost() != OnLost.NOTIFY, "onLost");
        request.keys().forEach(resolver::prefixed);
    }

    private static void refuse(boolean asked, String what) {
        if (asked) {
            throw new IllegalArgumentException(
                    "A lock of strategy \"%s\" ends with its transaction and cannot be lost, so it takes no %s"
                            .formatted(TransactionLocks.STRATEGY, what));
        }
    }

    // ---- in a transaction that is open

    /**
     * Acquires the lock in the transaction that is open on the calling thread.
     *
     * @throws IllegalStateException if no transaction is open, or one that might read what was before the lock
     */
    public HeldLock acquire(LockRequest request, Duration patience) {
        validate(request);
        TransactionScope scope = scope(request);
        Deadline deadline = Deadline.after(patience, observers.ticker());
        List<Attempt> attempts = new ArrayList<>();
        try {
            for (String name : request.keys()) {
                if (!isHeld(scope, name, request.mode())) {
                    requireCurrentReads(scope, request);
                    Attempt attempt = attempt(request, name);
                    attempts.add(attempt);
                    acquire(scope, attempt, deadline, null);
                }
            }
        } catch (RuntimeException | Error e) {
            attempts.forEach(attempt -> attempt.observation().refused(e));
            throw e;
        }
        return new TransactionLock(request.keys(), request.mode(), scope);
    }

    /** The locks that the calling thread's transaction has. */
    public List<StaleReads.Held> held() {
        return TransactionScope.present(this).map(TransactionScope::held).orElse(List.of());
    }

    /** Returns true if the calling thread's transaction has a key of a request. */
    public boolean isHeldByCaller(LockRequest request) {
        return TransactionScope.present(this)
                .filter(scope -> request.keys().stream().anyMatch(key -> scope.mode(resolver.prefixed(key)) != null))
                .isPresent();
    }

    private boolean isHeld(TransactionScope scope, String name, LockMode wanted) {
        String key = resolver.prefixed(name);
        LockMode mode = scope.mode(key);
        if (mode == LockMode.SHARED && wanted == LockMode.EXCLUSIVE) {
            throw new IllegalStateException(
                    "The transaction has \"%s\" locked shared and asks for it exclusive: two that do so would wait for each other; ask for it exclusive first"
                            .formatted(Printable.of(name)));
        }
        if (mode == null) {
            requireNotKeptByCaller(name, wanted);
        }
        return mode != null;
    }

    private void requireNotKeptByCaller(String name, LockMode wanted) {
        String key = resolver.prefixed(name);
        if (open.stream().anyMatch(scope -> scope.keepsFromCaller(key, wanted))) {
            throw new IllegalStateException(
                    "An outer transaction of the thread has \"%s\" locked, so a transaction inside it would wait for ever"
                            .formatted(Printable.of(name)));
        }
    }

    /** Returns true if the calling thread has a transaction that can have such locks. */
    public boolean isTransactionOpen() {
        return isAnyTransactionOpen() && locks.isReachable();
    }

    private static boolean isAnyTransactionOpen() {
        return TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive();
    }

    TransactionScope scope(LockRequest request) {
        if (!isAnyTransactionOpen()) {
            throw unfit(request, "no transaction is open on the calling thread");
        }
        if (!locks.isReachable()) {
            throw unfit(request, "the transaction that is open does not run on the database of the lock tables");
        }
        TransactionScope scope = TransactionScope.current(this);
        if (!scope.admitsLocks()) {
            throw unfit(request, "the transaction is about to end");
        }
        return scope;
    }

    private static IllegalStateException unfit(LockRequest request, String why) {
        return new IllegalStateException(
                ("The lock \"%s\" of strategy \"%s\" was not acquired: %s. Such a lock is part of a"
                                + " transaction on the database of the lock tables; annotate the method with @Transactional, or use"
                                + " another strategy")
                        .formatted(Printable.of(request.keys().get(0)), TransactionLocks.STRATEGY, why));
    }

    private void requireCurrentReads(TransactionScope scope, LockRequest request) {
        if (!scope.readsCommitted(locks::readsCommitted)) {
            throw new IllegalStateException(
                    ("The lock \"%s\" was not acquired: the open transaction is REPEATABLE READ, and would go on to read data as it"
                                    + " was before the lock. Acquire the lock before the transaction begins (annotate the method"
                                    + " that begins it), or use READ COMMITTED")
                            .formatted(Printable.of(request.keys().get(0))));
        }
    }

    Attempt attempt(LockRequest request, String name) {
        ObservedLock lock = new ObservedLock(name, request.name(), request.mode(), TransactionLocks.STRATEGY);
        return new Attempt(lock, resolver.prefixed(name), new Observation(observers, lock));
    }

    /** @param first what acquires it as the first thing in the transaction, or null */
    void acquire(TransactionScope scope, Attempt attempt, Deadline deadline, @Nullable PreparedLock first) {
        LockMode mode = attempt.lock().mode();
        try {
            for (int look = 1; !isLocked(scope, attempt, deadline); look++) {
                if (first != null) {
                    first.missesRow = true;
                }
                if (first != null || look == MOST_LOOKS) {
                    throw new LockStoreException(
                            "The row of the key \"%s\" was removed meanwhile; run the transaction again"
                                    .formatted(attempt.lock().key()),
                            null);
                }
                locks.create(attempt.key());
            }
        } catch (InterruptedException e) {
            throw deadline.interrupted(attempt.lock().key(), e);
        }
        scope.add(attempt.key(), mode, attempt.lock().name());
        Lease lease = new Lease(attempt.key(), mode, 0, 0, resolver.settings().owner());
        attempt.observation().acquired(lease, 0, deadline.waited());
        scope.onEnd(committed -> {
            if (committed) {
                attempt.observation().completed();
            }
            attempt.observation().released(lease, 0, mode);
        });
    }

    /** @return false if there is nothing to be locked */
    private boolean isLocked(TransactionScope scope, Attempt attempt, Deadline deadline) throws InterruptedException {
        inFlight.requireOpen();
        Duration patience = Duration.ofNanos(Math.max(0, deadline.nanosLeft()));
        return switch (locks.lock(attempt.key(), attempt.lock().mode(), patience, inFlight::requireOpen)) {
            case LOCKED -> true;
            case NO_ROW -> false;
            case BUSY -> throw new LockNotAcquiredException(attempt.lock().key(), deadline.waited(), null);
            case ROLLED_BACK -> {
                LockNotAcquiredException refusal = LockNotAcquiredException.inTransaction(
                        attempt.lock().key(),
                        deadline.waited(),
                        "the server rolled the transaction back, because it waited for a transaction that waited for it, or for too long");
                scope.rolledBack(refusal);
                throw refusal;
            }
        };
    }

    // ---- before the transaction begins

    /**
     * Gets ready to acquire the lock as the first thing that a transaction does: waits until the calling thread is the first in this
     * process, and creates the rows that are missing.
     *
     * @return what acquires the lock; to be closed when the transaction has completed
     * @throws LockNotAcquiredException if other threads of this process were first until the wait time was over
     * @throws io.rowlock.LockInterruptedException if the thread was interrupted while it waited
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalStateException if the thread has locked a key itself, in a transaction around this one
     */
    public PreparedLock prepare(LockRequest request, Duration patience) {
        validate(request);
        inFlight.requireOpen();
        request.keys().forEach(name -> requireNotKeptByCaller(name, request.mode()));
        return new PreparedLock(this, request, Deadline.after(patience, observers.ticker())).prepared();
    }
}
