package io.rowlock.client.lock;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.rowlock.LockLostException;
import io.rowlock.LockStoreException;
import io.rowlock.client.observe.LockInstrumentation.RenewalOutcome;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of a process alive and notices when one is not. One thread for each store renews, with one statement for all leases
 * of a ttl that are due, so that a renewal that hangs delays none of another store; another thread watches the clock, so that it delays
 * no warning.
 * Thread-safe.
 */
final class LeaseRenewer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaseRenewer.class);
    private static final int MAX_BATCH = 1_000;

    /** The time between two looks for abandoned locks, as long as there are any locks. */
    private static final long LOOK_EVERY = Duration.ofSeconds(10).toNanos();

    private final ProcessLocks process;
    private final Ticker ticker;
    private final @Nullable Duration renewalInterval;
    final LeaseEnding ending;
    /** The leases that are kept alive. */
    final Set<HeldLease> leases = ConcurrentHashMap.newKeySet();

    private final Map<LockStore, WakeableThread> renewals = new ConcurrentHashMap<>();
    private final WakeableThread watch;
    private volatile boolean closed;

    /** @param renewalInterval how often to renew at least, or null for a third of the ttl */
    LeaseRenewer(ProcessLocks process, @Nullable Duration renewalInterval) {
        this.process = process;
        this.ticker = process.observers.ticker();
        this.renewalInterval = renewalInterval;
        this.ending = new LeaseEnding(process.observers, this, process.pending);
        this.watch = new WakeableThread("rowlock-watch", ticker, this::watch);
    }

    /** Keeps a lease alive until it ends. */
    public void keep(HeldLease lease) {
        leases.add(lease);
        changed(lease);
        watch.at(ticker.nanoTime() + LOOK_EVERY);
    }

    /** Returns how long after a renewal to {@code ttl} the next one is due. */
    public Duration interval(Duration ttl) {
        Duration third = Duration.ofNanos(ttl.toNanos() / 3); // dividedBy makes a BigDecimal, at each acquire
        return renewalInterval == null || renewalInterval.compareTo(third) > 0 ? third : renewalInterval;
    }

    /** Returns the term of a lease that was acquired or renewed for {@code ttl} by a statement. */
    LeaseTerm term(long sent, Duration ttl) {
        return LeaseTerm.of(sent, ttl.toNanos(), interval(ttl).toNanos());
    }

    /**
     * Makes a lease last at least {@code atLeast} from now. One that is renewed never gets a shorter ttl than it has.
     *
     * @throws LockLostException if it is lost
     * @throws LockStoreException if the database could not be asked
     */
    void extend(HeldLease lease, Duration atLeast) {
        lease.guard.assertNotHeld();
        lease.requireHeld();
        boolean full = lease.isRenewed() || lease.isPromise();
        Duration ttl = full && atLeast.compareTo(lease.ttl()) < 0 ? lease.ttl() : atLeast;
        long sent = ticker.nanoTime();
        Renewal outcome;
        try (LeaseEnding.Uninterrupted now = new LeaseEnding.Uninterrupted()) {
            outcome = lease.store().renew(List.of(lease.lease()), ttl).getOrDefault(lease.lease(), Renewal.UNKNOWN);
        }
        if (outcome == Renewal.UNKNOWN) {
            throw notExtended(lease, "another transaction has its row locked");
        }
        lease.renewal(outcome, ttl, sent, ticker.nanoTime());
        changed(lease);
        lease.requireHeld();
        // A lease that becomes shared is another one, which may not have been extended
        if (lease.is(HeldLease.Phase.CHANGING)) {
            throw notExtended(lease, "it is just becoming shared");
        }
    }

    private static LockStoreException notExtended(HeldLease lease, String because) {
        return new LockStoreException(
                "The lock \"%s\" was not extended: %s".formatted(lease.request.name(), because), null);
    }

    /** The lease has other times at which something is due. */
    void changed(HeldLease lease) {
        Long renewal = lease.renewalDue();
        if (renewal != null) {
            renewals(lease.store()).at(renewal);
        }
        Long look = lease.watch();
        if (look != null) {
            watch.at(look);
        }
    }

    private WakeableThread renewals(LockStore store) {
        WakeableThread thread = renewals.computeIfAbsent(
                store, each -> new WakeableThread("rowlock-renewal", ticker, now -> renew(each, now)));
        if (closed) {
            thread.close();
        }
        return thread;
    }

    /** The lease was released or lost. */
    void ended(HeldLease lease) {
        leases.remove(lease);
    }

    private long watch(long now) {
        long next = process.threadLocks.lookForAbandoned(now, process.interrupts)
                ? now + LOOK_EVERY
                : WakeableThread.never(now);
        for (HeldLease lease : leases) {
            next = earlier(next, lease.watch());
        }
        return next;
    }

    private long renew(LockStore store, long now) {
        List<HeldLease> ofStore =
                leases.stream().filter(lease -> lease.store() == store).toList();
        Map<Duration, List<HeldLease>> due = new HashMap<>();
        for (HeldLease lease : ofStore) {
            if (isDue(lease, now) && lease.beginRenewal()) {
                due.computeIfAbsent(lease.ttl(), ttl -> new ArrayList<>()).add(lease);
            }
        }
        due.forEach((ttl, members) -> {
            for (int from = 0; from < members.size(); from += MAX_BATCH) {
                renewBatch(store, ttl, members.subList(from, Math.min(from + MAX_BATCH, members.size())));
            }
        });
        long next = WakeableThread.never(now);
        for (HeldLease lease : ofStore) {
            next = earlier(next, lease.renewalDue());
        }
        return next;
    }

    private boolean isDue(HeldLease lease, long now) {
        Long time = lease.renewalDue();
        long soon = now + interval(lease.ttl()).toNanos() / 2;
        return time != null && time - soon <= 0;
    }

    private void renewBatch(LockStore store, Duration ttl, List<HeldLease> batch) {
        long sent = ticker.nanoTime();
        try {
            Map<Lease, Renewal> outcome =
                    store.renew(batch.stream().map(HeldLease::lease).toList(), ttl);
            long answered = ticker.nanoTime();
            measured(
                    store,
                    batch.stream()
                            .map(lease -> outcome.getOrDefault(lease.lease(), Renewal.UNKNOWN))
                            .collect(groupingBy(each -> RenewalOutcome.valueOf(each.name()), counting())),
                    answered - sent);
            batch.forEach(
                    lease -> lease.renewal(outcome.getOrDefault(lease.lease(), Renewal.UNKNOWN), ttl, sent, answered));
        } catch (RuntimeException | Error e) {
            log.debug("The renewal failed", e); // each lease warns once
            measured(store, Map.of(RenewalOutcome.ERROR, (long) batch.size()), ticker.nanoTime() - sent);
            batch.forEach(lease -> lease.renewalFailed(String.valueOf(e.getMessage())));
        }
    }

    private void measured(LockStore store, Map<RenewalOutcome, Long> leases, long nanos) {
        leases.forEach((outcome, count) -> process.observers.measure(
                meters -> meters.renewal(store.strategy(), outcome, count.intValue(), Duration.ofNanos(nanos))));
    }

    private static long earlier(long one, @Nullable Long other) {
        return other != null && other - one < 0 ? other : one;
    }

    @Override
    public void close() {
        closed = true;
        renewals.values().forEach(WakeableThread::close);
        watch.close();
    }
}
