package io.rowlock.client.queue;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.client.lease.ManagedLease;
import io.rowlock.client.request.LockId;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.LeaseRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends leases of which this process does not know whether it has them: attempts and releases without an answer. Nobody renews
 * such a lease, so its ttl ends it at the latest; this only spares others the wait. Each is asked for again and again, with
 * growing pauses, in the background, and by the next thread of the process that wants the key. Thread-safe.
 *
 * <p>An attempt without an answer may still be on its way, so finding nothing to end does not end its take-back; but one that
 * ended something does, as an attempt is carried out once. After a minute, or its ttl, it is given up: should the attempt
 * arrive even later, its key is taken for one ttl.
 */
public final class UncertainLeases implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(UncertainLeases.class);

    /** How long an attempt without an answer is thought to be on its way, at least. */
    private static final Duration ON_ITS_WAY = Duration.ofMinutes(1);

    /** How long a client that is closed waits for what is to be given back. */
    private static final long LAST_WORDS = Duration.ofSeconds(3).toNanos();

    /** What is more is left to its ttl. */
    private static final int MOST = 1_000;

    private final Ticker ticker;
    private final ScheduledThreadPoolExecutor background;
    private final Map<LockId, Set<UncertainLease>> pending = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    public UncertainLeases(Ticker ticker) {
        this.ticker = ticker;
        background = new ScheduledThreadPoolExecutor(1, new DaemonThreads("rowlock-uncertain-leases"));
        background.setKeepAliveTime(5, TimeUnit.SECONDS);
        background.allowCoreThreadTimeOut(true);
        background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Has whatever an attempt of uncertain outcome took, or will take, taken back. */
    public void takeBack(ResolvedRequest terms, LeaseRequest request) {
        Duration ttl = terms.ttl();
        add(terms, () -> terms.store().abandon(request), ttl.compareTo(ON_ITS_WAY) > 0 ? ttl : ON_ITS_WAY);
    }

    /**
     * Has something ended that got no answer.
     *
     * @param ending asks the database, and may do so at any time and any number of times; true if it need not be asked again
     * @param lasting how long it may matter
     */
    public void add(ResolvedRequest terms, BooleanSupplier ending, Duration lasting) {
        if (size.incrementAndGet() > MOST) {
            size.decrementAndGet();
            log.debug("Too much is left over, so \"{}\" is left to its ttl", Printable.of(terms.name()));
            return;
        }
        UncertainLease leftover = new UncertainLease(terms, ending, ticker, lasting);
        pending.compute(leftover.id(), (id, present) -> {
            Set<UncertainLease> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(leftover);
            return all;
        });
        later(leftover);
    }

    /** How much is left over at the moment. */
    public int size() {
        return size.get();
    }

    /**
     * Ends what is left over of a key, as far as it was not tried a moment ago.
     *
     * @return whether something was ended by it
     * @throws LockStoreException if the database could not be asked
     */
    boolean clear(LockId id) {
        boolean ended = false;
        for (UncertainLease leftover : pending.getOrDefault(id, Set.of())) {
            ended |= leftover.isDue() && leftover.end();
            removeIfOver(leftover);
        }
        return ended;
    }

    private boolean removeIfOver(UncertainLease leftover) {
        boolean over = leftover.isOver();
        if (over) {
            pending.computeIfPresent(leftover.id(), (id, all) -> {
                if (all.remove(leftover)) {
                    size.decrementAndGet();
                }
                return all.isEmpty() ? null : all;
            });
        }
        return over;
    }

    private void later(UncertainLease leftover) {
        try {
            ScheduledFuture<?> unused =
                    background.schedule(() -> endInBackground(leftover), leftover.pause(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The client is closed, so \"{}\" is left to its ttl", Printable.of(leftover.name()));
        }
    }

    private void endInBackground(UncertainLease leftover) {
        end(leftover);
        if (!removeIfOver(leftover)) {
            later(leftover);
        }
    }

    private static void end(UncertainLease leftover) {
        try {
            leftover.end();
        } catch (RuntimeException e) {
            log.debug("\"{}\" may still be taken by a statement that got no answer", Printable.of(leftover.name()), e);
        }
    }

    /** Gives a lease back that nobody wants any more, without anybody waiting for it. */
    void giveBack(ManagedLease lease) {
        later(lease::release);
    }

    /** Does something in the background; whatever comes of it, nobody waits for it. */
    public void later(Runnable action) {
        try {
            background.execute(() -> {
                try {
                    action.run();
                } catch (RuntimeException e) {
                    log.debug("What a failed attempt left behind was not given back at once", e);
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("The client is closed, so what a failed attempt left behind ends with its ttl");
        }
    }

    /** Asks in the background. @return the answer, if it came in time and was not an error */
    <T> Optional<T> ask(Supplier<T> question, Duration patience) {
        try {
            CompletableFuture<T> answer = CompletableFuture.supplyAsync(question, background);
            return Optional.of(answer.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            return Optional.empty();
        }
    }

    /** Ends what is left over, as far as the database answers soon. Nobody adds anything any more. */
    @Override
    public void close() {
        if (background.isShutdown()) {
            return;
        }
        long start = System.nanoTime();
        Optional<Boolean> done = ask(() -> true, Duration.ofNanos(LAST_WORDS)); // after all that was to be done at once
        background.shutdownNow();
        pending.values().stream().flatMap(Set::stream).forEach(leftover -> {
            if (done.isPresent() && System.nanoTime() - start < LAST_WORDS) {
                end(leftover);
            }
            if (!leftover.isAnswered()) {
                log.info("\"{}\" may be taken until its ttl is over", Printable.of(leftover.name()));
            }
        });
    }
}
