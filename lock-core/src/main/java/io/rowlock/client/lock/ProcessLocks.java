package io.rowlock.client.lock;

import io.rowlock.LockClient;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.LeaseEnding.Uninterrupted;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.inspection.LiveLock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The locks of this process that are leases of a store, and all that acquires, keeps and ends them. Thread-safe.
 */
public final class ProcessLocks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ProcessLocks.class);

    /** Longer than the database needs to answer, or a connection to time out, by default. */
    private static final Duration LAST_ANSWER = Duration.ofSeconds(6);

    final Observers observers;
    final InFlightThreads inFlight = new InFlightThreads();
    final Background background = new Background();
    final PendingReleases pending;
    final LeaseRenewer renewer;
    final ThreadLocks threadLocks = new ThreadLocks();
    final OpenTransactions transactions = new OpenTransactions(this);
    volatile Consumer<LockRequest> admission = request -> {};
    private final LockAcquirer acquirer;
    final KeyQueues queues;
    final LossInterrupts interrupts = new LossInterrupts();
    private final LockView.Handles views = new LockView.Handles();
    /** True if it is closed for good, not only drained. */
    final AtomicBoolean closed = new AtomicBoolean();

    /**
     * This process, the leases it holds, and the threads that want one.
     *
     * @param owner how it is shown in the tables
     * @param strategy the strategy of locks that name none
     * @param held how many leases there are
     * @param atRisk how many of them will be lost unless they are renewed soon
     * @param waiting how many threads wait for a lock
     */
    public record Node(String owner, String strategy, int held, int atRisk, int waiting) {}

    /** @param observers closed with the locks */
    public ProcessLocks(RequestResolver resolver, Observers observers) {
        this.observers = observers;
        LockClientSettings settings = resolver.settings();
        this.queues = new KeyQueues(settings.handoff(), inFlight);
        this.pending = new PendingReleases(observers.ticker(), background);
        this.renewer = new LeaseRenewer(this, settings.renewalInterval());
        this.acquirer = new LockAcquirer(this, resolver);
    }

    /** Returns what acquires them. */
    public LockAcquirer acquirer() {
        return acquirer;
    }

    /** Returns the threads that are on their way to a lock. */
    public InFlightThreads inFlight() {
        return inFlight;
    }

    /** Returns the transactions that may be open on the calling thread. */
    public OpenTransactions transactions() {
        return transactions;
    }

    /** Calls this from now on before a thread acquires a lock: what it throws refuses the lock. */
    public void requireAdmission(Consumer<LockRequest> check) {
        admission = check;
    }

    /**
     * Returns true if the calling thread holds a key, of whatever strategy.
     *
     * @param key the key as the table has it
     */
    public boolean isHeldByCaller(String key) {
        return threadLocks.ofCaller().stream()
                .anyMatch(lock -> lock.id().key().equals(key) && lock.lease().isHeld());
    }

    /** Returns true if the calling thread has no lock, relies on none, and is not refused the lock. */
    public boolean isCallerFree(LockRequest request) {
        try {
            admission.accept(request);
        } catch (IllegalStateException refused) {
            return false;
        }
        return threadLocks.guardingCaller().isEmpty();
    }

    /** Returns the lock of a client as one of {@code java.util.concurrent}. */
    public Lock view(LockClient client, LockRequest request) {
        return new LockView(client, request, views, threadLocks);
    }

    /** Returns what the locks of this process are called. */
    public Map<ResolvedRequest.Id, String> names() {
        return renewer.leases.stream()
                .map(lease -> lease.request)
                .collect(Collectors.toMap(ResolvedRequest::id, ResolvedRequest::staticName, (one, another) -> one));
    }

    /** Returns how many threads wait for a key. */
    public int waiting(ResolvedRequest.Id id) {
        return queues.waiting(id);
    }

    /** Notifies the holders of a lease of this process that an operator has ended it. */
    public void forcedOut(String strategy, LiveLock ended) {
        renewer.leases.stream()
                .filter(lease -> lease.store().strategy().equals(strategy)
                        && lease.lease().key().equals(ended.key())
                        && Long.valueOf(lease.lease().fence()).equals(ended.fence())
                        && lease.lease().mode() == ended.mode()
                        && (ended.mode() == LockMode.EXCLUSIVE || lease.lease().slot() == ended.slot())
                        && lease.lease().owner().equals(ended.owner()))
                .forEach(lease -> lease.gone(HeldLease.FORCED));
    }

    /** Returns the state of the process of a client with these settings. */
    public Node node(LockClientSettings settings) {
        List<HeldLease> leases = List.copyOf(renewer.leases);
        int atRisk = (int) leases.stream().filter(HeldLease::isAtRisk).count();
        return new Node(settings.owner(), settings.strategy(), leases.size(), atRisk, queues.waiting());
    }

    // ---- its end

    /** Rejects every waiter, and from now on lets a thread only enter again a lock it holds. */
    public void drain() {
        inFlight.drain();
        queues.rejectWaiters();
    }

    /** Takes {@link #drain} back, unless it is closed. */
    public void resume() {
        if (!closed.get()) {
            inFlight.resume();
        }
    }

    /** Returns true if this process has no lease and is about to get none. */
    public boolean isIdle() {
        return renewer.leases.isEmpty() && queues.awaitEnd(Duration.ZERO);
    }

    /** Releases the leases that are left, also those that are granted only now. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        drain();
        try (observers;
                renewer) { // whatever happens
            if (!queues.awaitEnd(LAST_ANSWER)) {
                log.warn("The database has not answered yet, so what it grants later ends with its ttl");
            }
            renewer.leases.forEach(lease -> background.later(() -> lease.ending.release(lease), 0));
            try (Uninterrupted now = new Uninterrupted()) {
                pending.close();
            }
            if (!renewer.leases.isEmpty()) {
                log.warn("{} leases were not released at shutdown, so they end with their ttl", renewer.leases.size());
            }
        }
    }
}
