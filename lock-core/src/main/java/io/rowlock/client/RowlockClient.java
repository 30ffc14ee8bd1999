package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockHolder;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.LockedCall;
import io.rowlock.Printable;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.admin.LockInfo;
import io.rowlock.client.event.EventDispatcher;
import io.rowlock.client.event.Observers;
import io.rowlock.client.lock.Background;
import io.rowlock.client.lock.HeldLease;
import io.rowlock.client.lock.InFlightThreads;
import io.rowlock.client.lock.KeyQueues;
import io.rowlock.client.lock.LeaseRenewer;
import io.rowlock.client.lock.LockAcquirer;
import io.rowlock.client.lock.LossInterrupts;
import io.rowlock.client.lock.PendingReleases;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.client.lock.StoreAccess;
import io.rowlock.client.lock.ThreadLocks;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.client.transaction.PreparedLock;
import io.rowlock.client.transaction.TransactionLockAcquirer;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.TransactionLocks;
import io.rowlock.store.inspection.Holder;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of one process. Thread-safe. Closing it releases every lease it has left; from then on it takes no locks.
 *
 * <h2>How it works</h2>
 *
 * A <em>lease</em> is what the store grants to this process: one key, exclusive or shared, until a point in time that the
 * database's clock decides. A <em>lock</em> is what a thread has: a {@link io.rowlock.client.lock.ThreadLock} with any number of handles. Several
 * threads may use one lease, together or one after another.
 *
 * <h3>Taken</h3>
 *
 * {@link io.rowlock.client.lock.LockAcquirer} looks for the cheapest way to a key. A thread that holds it gets one more handle. Otherwise it enters
 * the {@link io.rowlock.client.lock.KeyQueue} of the key, first come, first served, which either lets it share a lease the
 * process has or lets it ask the store, one thread at a time. That thread
 * ({@link io.rowlock.client.lock.StoreAcquisition}) tries at once, unless other processes were seen waiting; if the key is
 * busy, it joins the queue of all processes and tries again whenever that queue has come to it. An exclusive lease that closes
 * a key to readers is granted once the readers inside have left. An attempt without an answer may have taken the lease:
 * {@link io.rowlock.client.lock.PendingReleases} ends such leases in the background.
 *
 * <h3>Kept</h3>
 *
 * {@link io.rowlock.client.lock.LeaseRenewer} renews each lease when a third of its ttl has passed, or earlier if so configured. The process counts a lease
 * from when the statement was <em>sent</em> that took or renewed it, so it stops to trust the lease no later than the database
 * does, whatever the two clocks show. Its phases are those of
 * {@link io.rowlock.client.lock.HeldLease}.
 *
 * A held lease is <em>at risk</em> from halfway between its due renewal and its end. A loss is final: listeners are notified,
 * threads that asked for it are interrupted, and commits are refused.
 *
 * <h3>Handed on</h3>
 *
 * When a holder leaves, the next thread of the local queue may follow without a statement, as far as
 * {@link io.rowlock.client.lock.HeldLease} admits it: the lease must be renewed in time, and the limits of
 * {@link io.rowlock.client.request.Handoff} keep the process from starving others. Each writer that follows gets the next token
 * of the lease. Readers share a lease; an exclusive lock of which only shared handles are left becomes a shared one without a
 * gap.
 *
 * <h3>Fenced</h3>
 *
 * {@link TransactionFence} checks right before a commit, on the transaction's own connection, that the leases of its thread are
 * still in the database. The row locks of that check keep other owners out until the transaction has completed; meanwhile the
 * leases are not renewed, because a renewal would wait for those row locks. Where the locks are kept outside of the database,
 * a table in it shows the greatest token that a transaction has relied on, and is asked when a transaction begins. A lock that is
 * closed inside a transaction is kept until the transaction has completed ({@link io.rowlock.client.lock.CommitChecks}).
 *
 * <h3>Released</h3>
 *
 * The last holder's release ends the lease in the store, or has it last for the rest of its minimum. Whatever the answer, the
 * lease is not held any more. A release without an answer is tried again in the background until the lease has expired. A
 * lease that was lost by this process's clock only is released as well, so that waiters need not wait for the rest of it.
 */
public final class RowlockClient implements LockClient, AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(RowlockClient.class);

    /** Longer than the database needs to answer, or a connection to time out, by default. */
    private static final Duration LAST_ANSWER = Duration.ofSeconds(6);

    private final RequestResolver resolver;
    private final LockLog log;
    private final EventDispatcher events;
    private final LeaseRenewer renewer;
    private final KeyQueues queues;
    private final InFlightThreads inFlight = new InFlightThreads();
    private final PendingReleases pending;
    private final ThreadLocks threadLocks = new ThreadLocks();
    private final LockView.Handles views = new LockView.Handles();
    private final LossInterrupts interrupts = new LossInterrupts();
    private final LockAcquirer leases;
    private final @Nullable TransactionLockAcquirer transactionLocks;
    private final LockAdmin admin;
    private final StaleReads staleReads;
    private volatile boolean guardedOnly;
    private final AtomicBoolean closed = new AtomicBoolean();

    RowlockClient(RowlockClientBuilder builder) {
        LockClientSettings settings = builder.settings();
        Ticker ticker = builder.ticker;
        this.log = builder.log;
        this.events = new EventDispatcher(builder.listeners);
        Background background = new Background();
        this.pending = new PendingReleases(ticker, background);
        this.queues = new KeyQueues(settings.handoff());
        Observers observers = new Observers(ticker, log, builder.instrumentation, events);
        AbandonedLocks abandoned = new AbandonedLocks(threadLocks, views, ticker, background::later);
        this.renewer = new LeaseRenewer(observers, settings.renewalInterval(), pending, abandoned::look);
        this.resolver = new RequestResolver(builder.stores, settings, renewer::interval);
        this.leases = new LockAcquirer(
                new StoreAccess(ticker, renewer, inFlight, pending, background),
                resolver,
                queues,
                threadLocks,
                observers,
                interrupts,
                closed::get,
                () -> guardedOnly);
        this.transactionLocks = builder.transactionLocks == null
                ? null
                : new TransactionLockAcquirer(builder.transactionLocks, resolver, inFlight, observers);
        this.admin = new LockAdmin(resolver, renewer, queues, log);
        this.staleReads = new StaleReads(
                threadLocks,
                () -> transactionLocks == null ? Map.of() : transactionLocks.held(),
                builder.staleReads,
                builder.staleReadsByName);
    }

    /**
     * Begins to make a client.
     *
     * @param stores the strategies requests can name, one store each
     */
    public static RowlockClientBuilder builder(Collection<? extends LockStore> stores) {
        return new RowlockClientBuilder(stores);
    }

    /**
     * Begins to make a client.
     *
     * @param stores the strategies requests can name, one store each
     */
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
                : leases.acquire(request, patience, false);
    }

    /**
     * As {@link #acquire}, for a body that runs in a transaction of its own, or in none ({@code REQUIRES_NEW}, {@code NOT_SUPPORTED}).
     * A transaction that is open on the calling thread neither keeps the lock until it has completed nor relies on it: the lock is
     * released when it is closed, after the body's transaction.
     *
     * @param request what to acquire, of any strategy but {@code transaction}
     * @throws LockNotAcquiredException if another owner had it until the deadline
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws LockStoreException if the database could not be asked
     */
    public HeldLock acquireForOwnTransaction(LockRequest request) {
        return leases.acquire(request, resolver.patience(request), true);
    }

    /**
     * From now on a lock is refused in a transaction on a JDBC connection that no {@link TransactionFence} checks: it would commit
     * though the lock is lost.
     */
    public void requireGuardedTransactions() {
        guardedOnly = true;
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        return tried(() -> acquire(request, patience(request)));
    }

    private static Duration patience(LockRequest attempt) {
        Duration waitTime = attempt.waitTime();
        return waitTime == null ? Duration.ZERO : waitTime;
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
                .filter(request -> !isHeldByCaller(request))
                .flatMap(request -> tried(() -> acquire(request, Duration.ZERO)).stream())
                .findFirst();
    }

    private boolean isHeldByCaller(LockRequest request) {
        return isOfTransaction(request) ? transactionLocks().isHeldByCaller(request) : leases.isHeldByCaller(request);
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCall<T, E> body)
            throws E {
        HeldLock lock = acquire(request);
        T result;
        try {
            result = body.call();
        } catch (Throwable thrown) {
            closeAfter(lock, thrown);
            request.onLost().afterThrow(lock, thrown);
            throw thrown;
        }
        try {
            lock.close();
        } catch (LockStoreException e) {
            logger.warn(
                    "The lock \"{}\" was not released; that is tried again until its ttl is over: {}",
                    Printable.of(lock.key()),
                    e.getMessage(),
                    e);
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
                .map(LockInfo::holder);
    }

    @Override
    public boolean isHeldByCurrentThread(String key) {
        String full = resolver.settings().stored(key);
        return threadLocks.ofCaller().stream()
                .anyMatch(lock -> lock.id().key().equals(full) && lock.lease().isHeld());
    }

    @Override
    public Lock lock(LockRequest request) {
        validate(request);
        return new LockView(this, request, views);
    }

    @Override
    public ReadWriteLock readWriteLock(String key) {
        validate(LockRequest.exclusive(key));
        return LockView.ReadWrite.of(this, key, views);
    }

    /**
     * Checks a request without taking anything.
     *
     * @param request what would be taken
     * @throws IllegalArgumentException if its strategy is unknown or does not take such a request
     */
    public void validate(LockRequest request) {
        if (isOfTransaction(request)) {
            transactionLocks().validate(request);
        } else {
            List<ResolvedRequest> unused = resolver.resolve(request);
        }
    }

    /**
     * Takes a lock as {@link #tryAcquire} does, also one whose key is reserved, as that of a leader is.
     *
     * @param request what to lock, of a strategy that keeps leases
     * @return the lock, or empty if it is busy
     * @throws LockStoreException if the database could not be asked
     */
    public Optional<HeldLock> tryAcquireReserved(LockRequest request) {
        return tried(() -> leases.acquire(request, patience(request), false));
    }

    private static boolean isOfTransaction(LockRequest request) {
        ReservedKeys.refuse(request);
        return TransactionLocks.STRATEGY.equals(request.strategy());
    }

    private TransactionLockAcquirer transactionLocks() {
        TransactionLockAcquirer locks = transactionLocks;
        if (locks == null) {
            throw new IllegalArgumentException(
                    "Strategy \"%s\" is not available here: such a lock is a row lock of a transaction on the database of the lock tables. In a test, use a real server (https://github.com/rowlock/rowlock/blob/main/docs/test-kit.md)"
                            .formatted(TransactionLocks.STRATEGY));
        }
        return locks;
    }

    /** @return whether the calling thread has a transaction that can have a lock of strategy {@code transaction} */
    public boolean isTransactionOpen() {
        return transactionLocks != null && transactionLocks.isTransactionOpen();
    }

    /**
     * Gets ready to take a lock of strategy {@code transaction} as the first thing that a transaction does.
     *
     * @param request what to lock
     * @return what takes it once the transaction has begun; to be closed when the transaction has completed
     * @throws LockNotAcquiredException if other threads of this process had it until the wait time was over
     * @throws LockInterruptedException if the thread was interrupted while it waited
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalStateException if the thread has locked it in a transaction around this one
     * @throws IllegalArgumentException if there is no such strategy, or no such lock can be
     */
    public PreparedLock prepare(LockRequest request) {
        ReservedKeys.refuse(request);
        return transactionLocks().prepare(request, resolver.patience(request));
    }

    /**
     * Checks, as {@link #validate} does, a request for locks that their holder trusts without asking the database: no other
     * owner may get them before their ttl is over, unless they are released.
     *
     * @param request what would be taken
     * @throws IllegalArgumentException if its strategy is unknown, does not take such a request, or may end a lock earlier
     */
    public void validateLasting(LockRequest request) {
        for (ResolvedRequest key : resolver.resolve(request)) {
            if (!key.store().capabilities().lastsForTtl()) {
                throw new IllegalArgumentException(
                        "Strategy \"%s\" may end the lock \"%s\" before its ttl, so that two owners could believe they hold it"
                                .formatted(key.store().strategy(), Printable.of(key.name())));
            }
        }
    }

    /**
     * The owner that keeps a key from being taken, seen without locking anything.
     *
     * @param request what would be taken; of several keys the first that is held counts
     * @return the owner as the table shows it, or empty if there is none
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalArgumentException if its strategy is unknown or does not take such a request
     */
    public Optional<String> owner(LockRequest request) {
        return resolver.resolve(request).stream()
                .flatMap(key -> key.store().inspection().stream()
                        .flatMap(inspection -> inspection.holder(key.key(), key.mode()).stream()))
                .findFirst()
                .map(Holder::owner);
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

    private static void closeAfter(HeldLock lock, Throwable thrown) {
        try {
            lock.close();
        } catch (RuntimeException e) {
            thrown.addSuppressed(e);
        }
    }

    ThreadLocks threadLocks() {
        return threadLocks;
    }

    LockView.Handles viewHandles() {
        return views;
    }

    /** Returns how many locks threads hold through views at the moment. */
    int views() {
        return views.size();
    }

    /** Returns how many threads would be interrupted if they lost a lock at the moment. */
    public int interruptible() {
        return interrupts.size();
    }

    /** Returns how many keys are in use at the moment. */
    int queues() {
        return queues.size();
    }

    /** Returns how many leases are to be ended of which no answer came. */
    int pendingReleases() {
        return pending.size();
    }

    /** Returns how many leases are kept alive at the moment. */
    int leases() {
        return renewer.leases().size();
    }

    /**
     * Begins to close the client: from now on a thread can only enter again a lock it holds, and every waiter gets
     * a {@link LockStoreException} that gives the reason. Locks that are held stay held and renewed.
     */
    public void drain() {
        inFlight.drain();
        queues.shut();
    }

    /** Takes locks again after {@link #drain}. A client that was closed stays closed. */
    public void resume() {
        if (!closed.get()) {
            queues.open();
            inFlight.resume();
        }
    }

    /** @return whether this process has no lock and takes none at the moment */
    public boolean isIdle() {
        return renewer.leases().isEmpty() && inFlight.awaitEnd(Duration.ZERO);
    }

    /**
     * Releases the leases that are left, also those that are granted only now. Takes some seconds at most if the database does
     * not answer.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        drain();
        if (!inFlight.awaitEnd(LAST_ANSWER)) {
            logger.warn("The database has not answered yet, so what it grants later ends with its ttl");
        }
        for (HeldLease lease : renewer.leases()) {
            try {
                lease.release();
            } catch (RuntimeException e) {
                logger.warn(
                        "\"{}\" was not released at shutdown, and is tried once more: {}",
                        Printable.of(lease.request().name()),
                        e.getMessage());
            }
        }
        pending.close();
        log.close();
        renewer.close();
        events.close();
    }
}
