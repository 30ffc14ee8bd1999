package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockStoreException;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.session.LockDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The row locks of this process, by their leases. Thread-safe. */
final class HeldRowLocks {
    private static final int AT_ONCE = 16;

    private final Map<Lease, HeldRowLock> locks = new ConcurrentHashMap<>();
    private final ExecutorService threads;
    private final Duration queryTimeout;

    /** Waits for the end of minimums; ends with the store, which has ended all sessions by then. */
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1, DaemonThreads.named("rowlock-row-lock-timer"), new ThreadPoolExecutor.DiscardPolicy());

    /** @param threads for statements that may block */
    HeldRowLocks(ExecutorService threads, Duration queryTimeout) {
        this.threads = threads;
        this.queryTimeout = queryTimeout;
    }

    void add(HeldRowLock held) {
        locks.put(held.lease(), held);
    }

    Collection<HeldRowLock> all() {
        return locks.values();
    }

    Optional<HeldRowLock> find(Lease lease) {
        return Optional.ofNullable(locks.get(lease));
    }

    /**
     * Checks whether a lease's session still has its lock.
     *
     * @throws LockStoreException if it does not answer in time
     */
    boolean isHeld(Lease lease) {
        Renewal outcome = ask(lease, held -> held.renew(0, queryTimeout));
        if (outcome == Renewal.UNKNOWN) {
            throw new LockStoreException("The lock \"%s\" could not be checked in time".formatted(lease.key()), null);
        }
        return outcome == Renewal.RENEWED;
    }

    /**
     * Renews leases, several at the same time, so that one that does not answer holds up no other.
     *
     * @param limit how long each may take
     * @param patience how long to wait for the last one
     */
    Map<Lease, Renewal> renew(List<Lease> leases, int seconds, Duration limit, Duration patience) {
        Function<HeldRowLock, Renewal> renewal = held -> held.renew(seconds, limit);
        if (leases.size() == 1) {
            return Map.of(leases.get(0), ask(leases.get(0), renewal));
        }
        Map<Lease, Renewal> outcome = new ConcurrentHashMap<>();
        leases.forEach(lease -> outcome.put(lease, Renewal.UNKNOWN));
        Queue<Lease> left = new ConcurrentLinkedQueue<>(leases);
        long start = System.nanoTime();
        Runnable worker = () -> {
            for (Lease next = left.poll(); next != null; next = left.poll()) {
                if (System.nanoTime() - start < patience.toNanos()) {
                    outcome.put(next, ask(next, renewal));
                }
            }
        };
        try {
            threads.invokeAll(
                    Collections.nCopies(Math.min(AT_ONCE, leases.size()), Executors.callable(worker)),
                    patience.toNanos(),
                    TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            worker.run(); // closed, and so are the connections: none is waited for; or no memory for a thread
        }
        return Map.copyOf(outcome);
    }

    /** Asks for a lease, and forgets it if it is lost. */
    private Renewal ask(Lease lease, Function<HeldRowLock, Renewal> question) {
        Renewal outcome = find(lease).map(question).orElse(Renewal.LOST);
        if (outcome == Renewal.LOST) {
            locks.remove(lease);
        }
        return outcome;
    }

    boolean release(Lease lease) {
        HeldRowLock held = locks.remove(lease);
        return held != null && held.release(queryTimeout);
    }

    /** Releases a lease after a while, unless the store is closed first. @return false if it was gone */
    boolean releaseAfter(Lease lease, Duration rest) {
        HeldRowLock held = locks.get(lease);
        if (held == null || !(held.isKept() || lastsFor(rest, held))) {
            return false;
        }
        if (held.keepFor(rest)) {
            ScheduledFuture<?> unused =
                    timer.schedule(() -> threads.execute(() -> release(lease)), rest.toNanos(), TimeUnit.NANOSECONDS);
        }
        return true;
    }

    private boolean lastsFor(Duration rest, HeldRowLock held) {
        return held.remaining().compareTo(rest) >= 0
                || ask(held.lease(), same -> same.renew(LockDatabase.wholeSeconds(rest), queryTimeout)) != Renewal.LOST;
    }

    /** An attempt that got no answer has closed its connection already, so there is something to do only for one that did. */
    void abandon(LeaseRequest request) {
        locks.forEach((lease, held) -> {
            if (held.isOf(request) && locks.remove(lease, held)) {
                boolean unused = held.release(queryTimeout);
            }
        });
    }

    /** Discards leases that have expired, and lost ones that were not released: they still have their connections. */
    void discardExpired() {
        locks.forEach((lease, held) -> {
            if (held.hasExpired() && locks.remove(lease, held)) {
                held.discard();
            }
        });
    }

    /** Ends with the connections. */
    void close() {
        timer.shutdownNow();
        locks.clear();
    }
}
