package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockHolder;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.LockedCall;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.lock.ProcessLocks;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.transaction.PreparedLock;
import io.rowlock.client.transaction.TransactionLockAcquirer;
import io.rowlock.store.LockStore;
import io.rowlock.store.TransactionLocks;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The client of one process. Thread-safe. Closing it releases every lease it has left; from then on it acquires no locks. How it works is
 * described by the package {@link io.rowlock.client.lock}.
 */
public final class RowlockClient implements LockClient, AutoCloseable {
    private final RequestResolver resolver;
    private final ProcessLocks locks;
    private final @Nullable TransactionLockAcquirer transactionLocks;
    private final LockAdmin admin;
    private final StaleReads staleReads;

    RowlockClient(RowlockClientBuilder builder) {
        Observers observers = new Observers(builder.ticker, builder.log, builder.instrumentation, builder.listeners);
        this.resolver = new RequestResolver(builder.stores, builder.settings());
        this.locks = new ProcessLocks(resolver, observers);
        this.transactionLocks = builder.transactionLocks == null
                ? null
                : new TransactionLockAcquirer(builder.transactionLocks, resolver, locks.inFlight(), observers);
        this.admin = new LockAdmin(resolver, locks, builder.log);
        this.staleReads = new StaleReads(
                locks, () -> transactionLocks == null ? List.of() : transactionLocks.held(), builder.staleReads);
    }

    /**
     * Begins to make a client.
     *
     * @param stores the strategies requests can name, one store each
     */
    public static RowlockClientBuilder builder(Collection<? extends LockStore> stores) {
        return new RowlockClientBuilder(stores);
    }

    /** @see #builder(Collection) */
    public static RowlockClientBuilder builder(LockStore... stores) {
        return new RowlockClientBuilder(List.of(stores));
    }

    @Override
    public HeldLock acquire(LockRequest request) {
        return acquire(request, resolver.patience(request));
    }

    private HeldLock acquire(LockRequest request, Duration patience) {
        return isOfTransaction(request)
                ? transactionLocks().acquire(request, patience)
                : locks.acquirer().acquire(request, patience, false, null);
    }

    /**
     * As {@link #acquire}, for a body that runs in a transaction of its own, or in none ({@code REQUIRES_NEW}, {@code NOT_SUPPORTED}).
     * The transaction that is left neither keeps the lock nor relies on it. Open ones of other managers do, as the body may work in them.
     *
     * @param request what to acquire, of any strategy but {@code transaction}
     * @param left what the transaction has bound to the thread that is suspended for the body, or null if no other is open
     * @throws LockNotAcquiredException if another owner had it until the deadline
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws LockStoreException if the database could not be asked
     */
    public HeldLock acquireForOwnTransaction(LockRequest request, @Nullable Object left) {
        return locks.acquirer().acquire(request, resolver.patience(request), true, left);
    }

    /**
     * Refuses from now on a lock in a transaction on a connection of such a DataSource that no {@link TransactionFence} checks: it would
     * commit though the lock is lost.
     */
    public void requireGuardedTransactions(Predicate<DataSource> on) {
        locks.transactions().requireGuarded(on);
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        return tried(() -> acquire(request, patience(request)));
    }

    private static Duration patience(LockRequest attempt) {
        return Objects.requireNonNullElse(attempt.waitTime(), Duration.ZERO);
    }

    private static Optional<HeldLock> tried(Supplier<HeldLock> attempt) {
        try {
            return Optional.of(attempt.get());
        } catch (LockInterruptedException e) {
            throw e;
        } catch (LockNotAcquiredException e) {
            return Optional.empty();
        }
    }

    /** A key the calling thread holds is not free, though the thread could enter it again. */
    @Override
    public Optional<HeldLock> tryAcquireAny(List<LockRequest> requests) {
        requests.forEach(this::validate);
        return requests.stream()
                .filter(request -> !isAcquiredByCurrentThread(request))
                .flatMap(request -> tried(() -> acquire(request, Duration.ZERO)).stream())
                .findFirst();
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCall<T, E> body)
            throws E {
        HeldLock lock = acquire(request);
        T result;
        try {
            result = body.call();
        } catch (Throwable thrown) {
            request.onLost().afterThrow(lock, thrown);
            throw thrown;
        }
        request.onLost().afterReturn(lock);
        return result;
    }

    /** The default strategy's, if there are holders in several. */
    @Override
    public Optional<LockHolder> holder(String key) {
        String usual = resolver.settings().strategy();
        return admin.holders(key).stream()
                .min(Comparator.comparing(holder -> !holder.strategy().equals(usual)))
                .map(LockAdmin.Held::holder);
    }

    @Override
    public boolean isHeldByCurrentThread(String key) {
        return locks.isHeldByCaller(resolver.settings().stored(key));
    }

    @Override
    public boolean isAcquiredByCurrentThread(LockRequest request) {
        return isOfTransaction(request)
                ? transactionLocks().isHeldByCaller(request)
                : locks.acquirer().isHeldByCaller(request);
    }

    @Override
    public Lock lock(LockRequest request) {
        validate(request);
        return locks.view(this, request);
    }

    @Override
    public ReadWriteLock readWriteLock(String key) {
        return new ReadWrite(lock(LockRequest.shared(key)), lock(LockRequest.exclusive(key)));
    }

    private record ReadWrite(Lock readLock, Lock writeLock) implements ReadWriteLock {}

    /** @throws IllegalArgumentException if there is no such strategy, or it does not take such a request; acquires nothing */
    public void validate(LockRequest request) {
        if (isOfTransaction(request)) {
            transactionLocks().validate(request);
        } else {
            List<ResolvedRequest> unused = resolver.resolve(request);
        }
    }

    /**
     * Acquires a lock as {@link #tryAcquire} does, also one whose key is reserved, as that of a leader is.
     *
     * @param request what to lock, of a strategy that keeps leases
     * @return the lock, or empty if it is busy
     * @throws LockStoreException if the database could not be asked
     */
    public Optional<HeldLock> tryAcquireReserved(LockRequest request) {
        return tried(() -> locks.acquirer().acquire(request, patience(request), false, null));
    }

    private static boolean isOfTransaction(LockRequest request) {
        RequestResolver.refuseReserved(request);
        return TransactionLocks.STRATEGY.equals(request.strategy());
    }

    private TransactionLockAcquirer transactionLocks() {
        if (transactionLocks == null) {
            throw new IllegalArgumentException(
                    "Strategy \"%s\" is not available here: such a lock is a row lock of a transaction on the database of the lock tables. In a test, use a real server (https://github.com/rowlock/rowlock/blob/main/docs/test-kit.md)"
                            .formatted(TransactionLocks.STRATEGY));
        }
        return transactionLocks;
    }

    /** @return whether another thread could as well acquire the lock: this one has no lock, relies on none, and is not refused this one */
    public boolean isCallerFree(LockRequest request) {
        return locks.isCallerFree(request);
    }

    /** @return whether the calling thread has a transaction that can have a lock of strategy {@code transaction} */
    public boolean isTransactionOpen() {
        return transactionLocks != null && transactionLocks.isTransactionOpen();
    }

    /**
     * Gets ready to acquire a lock of strategy {@code transaction} as the first thing that a transaction does.
     *
     * @return what acquires it once the transaction has begun; to be closed when the transaction has completed
     * @throws LockNotAcquiredException if other threads of this process had it until the wait time was over
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalStateException if the thread has locked it in a transaction around this one
     * @throws IllegalArgumentException if there is no such strategy, or no such lock can be
     */
    public PreparedLock prepare(LockRequest request) {
        RequestResolver.refuseReserved(request);
        return transactionLocks().prepare(request, resolver.patience(request));
    }

    /**
     * Checks, as {@link #validate} does, a request for locks that their holder trusts without asking the database: no other
     * owner may get them before their ttl is over, unless they are released.
     *
     * @throws IllegalArgumentException if its strategy is unknown, does not take such a request, or may end a lock earlier
     */
    public void validateLasting(LockRequest request) {
        resolver.requireLasting(request);
    }

    /** @return the defaults of requests, and how this process is shown */
    public LockClientSettings settings() {
        return resolver.settings();
    }

    /** @return what refuses to write data that was read before a lock */
    public StaleReads staleReads() {
        return staleReads;
    }

    /** @return what an operator can see and do */
    public LockAdmin admin() {
        return admin;
    }

    ProcessLocks locks() {
        return locks;
    }

    /**
     * Begins to close the client: from now on a thread can only enter again a lock it holds, and every waiter gets
     * a {@link LockStoreException} that gives the reason. Locks that are held stay held and renewed.
     */
    public void drain() {
        locks.drain();
    }

    /** Acquires locks again after {@link #drain}. A client that was closed stays closed. */
    public void resume() {
        locks.resume();
    }

    /** @return whether this process has no lock and acquires none at the moment */
    public boolean isIdle() {
        return locks.isIdle();
    }

    /** Releases the leases that are left, also those that are granted only now. Takes some seconds at most if nothing answers. */
    @Override
    public void close() {
        locks.close();
    }
}
