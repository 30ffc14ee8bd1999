package io.rowlock.client;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockListener;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.LockedCall;
import io.rowlock.OnLost;
import io.rowlock.Printable;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.event.AttemptNotices;
import io.rowlock.client.event.EventDispatcher;
import io.rowlock.client.event.LockInstrumentation;
import io.rowlock.client.event.SafeInstrumentation;
import io.rowlock.client.lease.LeaseRenewer;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.queue.LocalQueues;
import io.rowlock.client.queue.UncertainLeases;
import io.rowlock.client.queue.Wanted;
import io.rowlock.client.request.Deadline;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Holder;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client of one process. Thread-safe. Closing it gives back every lease it has left; from then on it takes no locks.
 */
public final class RowlockClient implements LockClient, AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(RowlockClient.class);

    /** Longer than the database needs to answer, or a connection to time out, by default. */
    private static final Duration LAST_ANSWER = Duration.ofSeconds(6);

    private final RequestResolver resolver;
    private final Ticker ticker;
    private final LockLog log;
    private final EventDispatcher events;
    private final LeaseRenewer keeper;
    private final LocalQueues lines = new LocalQueues();
    private final UncertainLeases leftovers;
    private final ThreadLocks holds = new ThreadLocks();
    private final ViewGrants views = new ViewGrants();
    private final LossInterrupts interrupts = new LossInterrupts();
    private final LockAcquirer acquirer;
    private final LockAdmin oversight;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * @param stores the strategies requests can name
     * @param settings the defaults
     * @param listeners who is told what happens
     * @throws IllegalArgumentException if a default is out of the limits of the default strategy
     */
    public RowlockClient(
            Collection<? extends LockStore> stores,
            LockClientSettings settings,
            Collection<? extends LockListener> listeners) {
        this(stores, settings, listeners, LockLog.NONE);
    }

    /**
     * @param stores the strategies requests can name
     * @param settings the defaults
     * @param listeners who is told what happens
     * @param log where grants are noted; closed with the client
     * @throws IllegalArgumentException if a default is out of the limits of the default strategy
     */
    public RowlockClient(
            Collection<? extends LockStore> stores,
            LockClientSettings settings,
            Collection<? extends LockListener> listeners,
            LockLog log) {
        this(stores, settings, listeners, log, LockInstrumentation.NONE);
    }

    /**
     * @param stores the strategies requests can name
     * @param settings the defaults
     * @param listeners who is told what happens
     * @param log where grants are noted; closed with the client
     * @param instrumentation what the client is measured with
     * @throws IllegalArgumentException if a default is out of the limits of the default strategy
     */
    public RowlockClient(
            Collection<? extends LockStore> stores,
            LockClientSettings settings,
            Collection<? extends LockListener> listeners,
            LockLog log,
            LockInstrumentation instrumentation) {
        this(stores, settings, listeners, log, instrumentation, Ticker.SYSTEM);
    }

    RowlockClient(
            Collection<? extends LockStore> stores,
            LockClientSettings settings,
            Collection<? extends LockListener> listeners,
            Ticker ticker) {
        this(stores, settings, listeners, LockLog.NONE, ticker);
    }

    RowlockClient(
            Collection<? extends LockStore> stores,
            LockClientSettings settings,
            Collection<? extends LockListener> listeners,
            LockLog log,
            Ticker ticker) {
        this(stores, settings, listeners, log, LockInstrumentation.NONE, ticker);
    }

    RowlockClient(
            Collection<? extends LockStore> stores,
            LockClientSettings settings,
            Collection<? extends LockListener> listeners,
            LockLog log,
            LockInstrumentation instrumentation,
            Ticker ticker) {
        this.ticker = ticker;
        this.log = log;
        this.events = new EventDispatcher(listeners);
        this.leftovers = new UncertainLeases(ticker);
        AbandonedLocks abandoned = new AbandonedLocks(holds, views, leftovers::later);
        this.keeper = new LeaseRenewer(
                ticker,
                settings.renewalInterval(),
                leftovers,
                events,
                new SafeInstrumentation(instrumentation),
                abandoned);
        this.resolver = new RequestResolver(stores, settings, keeper::renewalInterval);
        this.acquirer = new LockAcquirer(keeper, lines, holds, settings.handoff(), leftovers, log);
        this.oversight = new LockAdmin(resolver, keeper, lines, log);
    }

    @Override
    public HeldLock acquire(LockRequest request) {
        return take(request, resolver.patience(request));
    }

    @Override
    public Optional<HeldLock> tryAcquire(LockRequest request) {
        Duration waitTime = request.waitTime();
        try {
            return Optional.of(take(request, waitTime == null ? Duration.ZERO : waitTime));
        } catch (LockInterruptedException e) {
            throw e;
        } catch (LockNotAcquiredException e) {
            return Optional.empty();
        }
    }

    /** A key the calling thread holds is not free, though the thread could enter it again. */
    @Override
    public Optional<HeldLock> tryAcquireAny(List<LockRequest> requests) {
        List<Wanted> all = requests.stream()
                .map(request -> new Wanted(request, resolver.resolve(request)))
                .toList();
        List<Wanted> free = all.stream()
                .filter(wanted -> wanted.terms().stream().allMatch(terms -> acquirer.holdOfCaller(terms.id()) == null))
                .toList();
        return Wanted.runs(free).stream()
                .map(this::tryOneOf)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<HeldLock> tryOneOf(List<Wanted> run) {
        if (run.size() == 1) {
            return tryAcquire(run.get(0).request().withWaitTime(Duration.ZERO));
        }
        keeper.requireOpen();
        Deadline deadline = Deadline.after(Duration.ZERO, ticker);
        try {
            Optional<KeyHandle> grant =
                    acquirer.acquireAny(run.stream().map(Wanted::key).toList(), deadline);
            return grant.map(won -> handedOut(Wanted.requestOf(run, won.key()), List.of(won)));
        } catch (LockNotAcquiredException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(run.get(0).key().name(), deadline.waited(), e);
        }
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
        return result;
    }

    @Override
    public ReadWriteLock readWriteLock(String key) {
        validate(LockRequest.exclusive(key));
        return new ReadWriteLockView(
                new LockView(this, LockRequest.shared(key), views),
                new LockView(this, LockRequest.exclusive(key), views));
    }

    /**
     * Checks a request without taking anything.
     *
     * @param request what would be taken
     * @throws IllegalArgumentException if its strategy is unknown or does not take such a request
     */
    public void validate(LockRequest request) {
        resolver.resolve(request);
    }

    /**
     * Checks, as {@link #validate} does, a request for locks that their holder trusts without asking anybody: nobody else
     * may get them before their ttl is over, unless they are released.
     *
     * @param request what would be taken
     * @throws IllegalArgumentException if its strategy is unknown, does not take such a request, or may end a lock earlier
     */
    public void validateLasting(LockRequest request) {
        for (ResolvedRequest terms : resolver.resolve(request)) {
            if (!terms.store().capabilities().lastsForTtl()) {
                throw new IllegalArgumentException(
                        "Strategy \"%s\" may end the lock \"%s\" before its ttl, so that two could think they have it"
                                .formatted(terms.store().strategy(), Printable.of(terms.name())));
            }
        }
    }

    /**
     * Who keeps a key from being taken, seen without locking anything.
     *
     * @param request what one would take; of several keys the first that somebody holds counts
     * @return the owner as the table shows it, or empty if nobody does
     * @throws LockStoreException if the database could not be asked
     * @throws IllegalArgumentException if its strategy is unknown or does not take such a request
     */
    public Optional<String> owner(LockRequest request) {
        return resolver.resolve(request).stream()
                .flatMap(terms -> terms.store().inspection().stream()
                        .flatMap(inspection -> inspection.holder(terms.key(), terms.mode()).stream()))
                .findFirst()
                .map(Holder::owner);
    }

    /** @return the defaults of requests, and how this process is shown */
    public LockClientSettings settings() {
        return resolver.settings();
    }

    /** @return what an operator can see and do */
    public LockAdmin oversight() {
        return oversight;
    }

    private HeldLock take(LockRequest request, Duration patience) {
        List<ResolvedRequest> all = resolver.resolve(request);
        requireOpenFor(all);
        Deadline deadline = Deadline.after(patience, ticker);
        List<KeyHandle> grants = new ArrayList<>(all.size());
        try {
            for (ResolvedRequest terms : all) {
                grants.add(take(terms, deadline));
            }
        } catch (LockStoreException e) {
            leftovers.later(() -> takeBack(grants, e));
            throw e;
        } catch (RuntimeException | Error e) {
            takeBack(grants, e);
            throw e;
        }
        return handedOut(request, grants);
    }

    private HeldLock handedOut(LockRequest request, List<KeyHandle> grants) {
        grants.forEach(KeyHandle::handOut);
        DetachableLock lock = grants.size() == 1 ? grants.get(0) : new LockHandle(grants);
        return request.onLost() == OnLost.INTERRUPT ? interrupting(lock, grants) : lock;
    }

    private HeldLock interrupting(DetachableLock lock, List<KeyHandle> grants) {
        LossInterrupts.Body body = interrupts.begin();
        grants.forEach(grant -> grant.interruptOnLost(body));
        return new InterruptingLock(lock, body);
    }

    /** While bodies may finish, a thread may enter again what it holds. */
    private void requireOpenFor(List<ResolvedRequest> all) {
        boolean onlyAgain = !closed.get() && all.stream().allMatch(terms -> acquirer.holdOfCaller(terms.id()) != null);
        if (!onlyAgain) {
            keeper.requireOpen();
        }
    }

    private KeyHandle take(ResolvedRequest terms, Deadline deadline) {
        try {
            if (deadline.patience() > 0 && Thread.interrupted()) {
                throw new InterruptedException();
            }
            return acquirer.acquire(terms, deadline);
        } catch (LockNotAcquiredException e) {
            new AttemptNotices(terms, keeper).busy(e.holder().orElse(""), e.waited());
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(terms.name(), deadline.waited(), e);
        }
    }

    private static void takeBack(List<KeyHandle> grants, Throwable thrown) {
        for (int i = grants.size() - 1; i >= 0; i--) {
            try {
                grants.get(i).takeBack();
            } catch (RuntimeException e) {
                thrown.addSuppressed(e);
            }
        }
    }

    private static void closeAfter(HeldLock lock, Throwable thrown) {
        try {
            lock.close();
        } catch (RuntimeException e) {
            thrown.addSuppressed(e);
        }
    }

    ThreadLocks holds() {
        return holds;
    }

    ViewGrants viewGrants() {
        return views;
    }

    /** How many locks threads hold through views at the moment. */
    int views() {
        return views.size();
    }

    /** How many threads are interrupted should they lose a lock at the moment. */
    public int interruptible() {
        return interrupts.size();
    }

    /** How many keys are in use at the moment. */
    int lines() {
        return lines.size();
    }

    /** How many leases are to be ended of which no answer came. */
    int leftovers() {
        return leftovers.size();
    }

    /** How many leases are looked after at the moment. */
    int leases() {
        return keeper.leases().size();
    }

    /**
     * Begins to close the client: from now on nobody takes a lock, except again one it holds, and whoever waits for one gets
     * a {@link LockStoreException} that says so. Locks that are held stay held and renewed.
     */
    public void drain() {
        keeper.shut();
        lines.shut(true);
    }

    /** Takes locks again after {@link #drain}. A client that was closed stays closed. */
    public void resume() {
        if (!closed.get()) {
            lines.shut(false);
            keeper.reopen();
        }
    }

    /** @return whether this process has no lock and takes none at the moment */
    public boolean isIdle() {
        return keeper.leases().isEmpty() && keeper.underway.awaitEnd(Duration.ZERO);
    }

    /** Gives back what is left, also what is granted only now. Takes some seconds at most if the database does not answer. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        drain();
        if (!keeper.underway.awaitEnd(LAST_ANSWER)) {
            logger.warn("The database has not answered yet, so what it grants later ends with its ttl");
        }
        for (ManagedLease lease : keeper.leases()) {
            try {
                lease.release();
            } catch (RuntimeException e) {
                logger.warn(
                        "\"{}\" was not released at shutdown, and is tried once more: {}",
                        Printable.of(lease.terms().name()),
                        e.getMessage());
            }
        }
        leftovers.close();
        log.close();
        keeper.close();
        events.close();
    }
}
