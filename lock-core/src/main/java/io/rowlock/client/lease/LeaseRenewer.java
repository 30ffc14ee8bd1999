package io.rowlock.client.lease;

import io.rowlock.LockEvent;
import io.rowlock.LockStoreException;
import io.rowlock.client.AbandonedLocks;
import io.rowlock.client.event.EventDispatcher;
import io.rowlock.client.event.LockInstrumentation.RenewalOutcome;
import io.rowlock.client.event.SafeInstrumentation;
import io.rowlock.client.queue.InFlightThreads;
import io.rowlock.client.queue.UncertainLeases;
import io.rowlock.client.queue.Underway;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of a process alive and says when one is not. One thread renews, with one statement for all leases of
 * a strategy and ttl that are due; another watches the clock, so that a renewal that hangs delays no warning.
 * Thread-safe.
 */
public final class LeaseRenewer implements LeaseContext, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);
    private static final int MAX_BATCH = 1_000;

    private final Ticker ticker;
    private final @Nullable Duration renewalInterval;
    private final UncertainLeases leftovers;
    private final EventDispatcher events;
    private final SafeInstrumentation instruments;
    private final AbandonedLocks abandoned;
    private final Set<ManagedLease> leases = ConcurrentHashMap.newKeySet();

    /** What could not be renewed at the last try, so that an outage is warned of once. */
    private final Set<Group> failing = ConcurrentHashMap.newKeySet();

    /** Threads that wait for other processes. */
    public final InFlightThreads waits = new InFlightThreads();

    /** Threads that may be granted a lease at any moment. */
    public final Underway underway = new Underway();

    private final WakeableThread renewals;
    private final WakeableThread watch;
    private volatile boolean open = true;

    /** @param abandoned what looks for locks whose thread has ended */
    public LeaseRenewer(
            Ticker ticker,
            @Nullable Duration renewalInterval,
            UncertainLeases leftovers,
            EventDispatcher events,
            SafeInstrumentation instruments,
            AbandonedLocks abandoned) {
        this.ticker = ticker;
        this.renewalInterval = renewalInterval;
        this.leftovers = leftovers;
        this.events = events;
        this.instruments = instruments;
        this.abandoned = abandoned;
        this.renewals = new WakeableThread("rowlock-renewal", ticker, this::renew);
        this.watch = new WakeableThread("rowlock-watch", ticker, this::watch);
    }

    /** From now on no lease is granted: one that is kept after this sees that, and one kept before is to be seen here. */
    public void shut() {
        open = false;
        waits.wake();
    }

    /** Leases are granted again. */
    public void reopen() {
        waits.restart();
        open = true;
    }

    public boolean isOpen() {
        return open;
    }

    /** @throws LockStoreException if no lease is granted any more */
    public void requireOpen() {
        if (!open) {
            throw shutDown();
        }
    }

    public LockStoreException shutDown() {
        return new LockStoreException(
                "No lock is taken any more: the lock client is being closed, because the application shuts down", null);
    }

    @Override
    public void keep(ManagedLease lease) {
        leases.add(lease);
        leaseChanged(lease);
        watch.at(now() + AbandonedLocks.EVERY);
    }

    public Collection<ManagedLease> leases() {
        return leases;
    }

    @Override
    public long now() {
        return ticker.nanoTime();
    }

    @Override
    public Duration renewalInterval(Duration ttl) {
        Duration third = ttl.dividedBy(3);
        return renewalInterval == null || renewalInterval.compareTo(third) > 0 ? third : renewalInterval;
    }

    @Override
    public void leaseChanged(ManagedLease lease) {
        Long renewal = lease.renewalDue();
        if (renewal != null) {
            renewals.at(renewal);
        }
        Long look = lease.watch();
        if (look != null) {
            watch.at(look);
        }
    }

    @Override
    public void leaseEnded(ManagedLease lease) {
        leases.remove(lease);
    }

    @Override
    public void endLater(ResolvedRequest terms, BooleanSupplier ending, Duration lasting) {
        leftovers.add(terms, ending, lasting);
    }

    @Override
    public void takeBack(ResolvedRequest terms, LeaseRequest request) {
        leftovers.takeBack(terms, request);
    }

    @Override
    public void tell(LockEvent event) {
        events.tell(event);
    }

    @Override
    public void tellLater(LockEvent event, Collection<Consumer<LockEvent>> more) {
        events.tellLater(event, more);
    }

    @Override
    public SafeInstrumentation instruments() {
        return instruments;
    }

    @Override
    public void callLater(LockEvent event, Consumer<LockEvent> action) {
        events.callLater(event, action);
    }

    private long watch(long now) {
        long next = abandoned.look(now, WakeableThread.never(now));
        for (ManagedLease lease : leases) {
            Long look = lease.watch();
            next = look == null ? next : earlier(next, look);
        }
        return next;
    }

    private long renew(long now) {
        Map<Group, List<ManagedLease>> due = new HashMap<>();
        for (ManagedLease lease : leases) {
            if (isDue(lease, now) && lease.beginRenewal()) {
                due.computeIfAbsent(
                                new Group(lease.store(), lease.ttl(), lease.isEndKnown()), group -> new ArrayList<>())
                        .add(lease);
            }
        }
        due.forEach(this::renew);
        long next = WakeableThread.never(now);
        for (ManagedLease lease : leases) {
            Long time = lease.isMoving() ? null : lease.renewalDue();
            next = time == null ? next : earlier(next, time);
        }
        return next;
    }

    private boolean isDue(ManagedLease lease, long now) {
        Long time = lease.renewalDue();
        long soon = now + renewalInterval(lease.ttl()).toNanos() / 2;
        return time != null && time - soon <= 0;
    }

    private void renew(Group group, List<ManagedLease> members) {
        for (int from = 0; from < members.size(); from += MAX_BATCH) {
            renewBatch(group, members.subList(from, Math.min(from + MAX_BATCH, members.size())));
        }
    }

    private void renewBatch(Group group, List<ManagedLease> batch) {
        long sent = now();
        try {
            Map<Lease, Renewal> outcome = group.endKnown() ? renewed(group, batch) : settled(batch);
            long answered = now();
            failing.remove(group);
            measured(group, batch, outcome, answered - sent);
            batch.forEach(lease -> lease.renewal(outcome.getOrDefault(lease.lease(), Renewal.UNKNOWN), sent, answered));
        } catch (RuntimeException | Error e) {
            if (failing.add(group)) {
                log.warn("{} leases could not be renewed and will be tried again: {}", batch.size(), e.getMessage());
            }
            log.debug("The renewal failed", e);
            instruments.renewal(group.store().strategy(), RenewalOutcome.ERROR, batch.size(), now() - sent);
            batch.forEach(lease -> lease.renewalFailed(String.valueOf(e.getMessage())));
        } finally {
            batch.forEach(ManagedLease::endRenewal);
        }
    }

    private static Map<Lease, Renewal> renewed(Group group, List<ManagedLease> batch) {
        return group.store().renew(batch.stream().map(ManagedLease::lease).toList(), group.ttl());
    }

    /** A call that moves their end and got no answer may still be carried out. So they are moved again, which overtakes it. */
    private static Map<Lease, Renewal> settled(List<ManagedLease> batch) {
        Map<Lease, Renewal> outcome = new HashMap<>();
        batch.forEach(lease -> outcome.put(lease.lease(), lease.settleEnd()));
        return outcome;
    }

    private void measured(Group group, List<ManagedLease> batch, Map<Lease, Renewal> outcome, long nanos) {
        if (instruments.isNone()) {
            return;
        }
        int lost = 0;
        int renewed = 0;
        for (ManagedLease lease : batch) {
            Renewal one = outcome.getOrDefault(lease.lease(), Renewal.UNKNOWN);
            lost += one == Renewal.LOST ? 1 : 0;
            renewed += one == Renewal.RENEWED ? 1 : 0;
        }
        String strategy = group.store().strategy();
        instruments.renewal(strategy, RenewalOutcome.RENEWED, renewed, nanos);
        instruments.renewal(strategy, RenewalOutcome.LOST, lost, nanos);
        instruments.renewal(strategy, RenewalOutcome.UNKNOWN, batch.size() - renewed - lost, nanos);
    }

    private static long earlier(long one, long other) {
        return other - one < 0 ? other : one;
    }

    @Override
    public void close() {
        renewals.close();
        watch.close();
    }

    /** Leases one statement renews, unless the end of each has to be settled by one of its own. */
    private record Group(LockStore store, Duration ttl, boolean endKnown) {}
}
