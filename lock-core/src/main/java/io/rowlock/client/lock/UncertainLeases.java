package io.rowlock.client.lock;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
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
import java.util.concurrent.CountDownLatch;
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
 * Ends leases of which this process does not know whether it has them: attempts and releases without an answer. No thread renews
 * such a lease, so it expires after its ttl at the latest; to end it earlier saves other owners the wait. Each is tried again and
 * again, with growing pauses, in the background, and by the next thread of the process that wants the key. Thread-safe.
 *
 * <p>An attempt without an answer may still be on its way, so the tries go on after one that found nothing to end. They stop once
 * the store knows that nothing can come of the attempt any more, and otherwise after a minute or the ttl, if that is longer.
 * Should the attempt arrive even later, its key is taken for one ttl.
 */
public final class UncertainLeases implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(UncertainLeases.class);

    /** How long an attempt without an answer may be on its way, at least. */
    private static final Duration ON_ITS_WAY = Duration.ofMinutes(1);

    /** How long a closing client waits for the last tries. */
    private static final long CLOSE_TIMEOUT = Duration.ofSeconds(3).toNanos();

    /** So that one call that hangs delays no other key's. */
    private static final int THREADS = 4;

    /** More than that are left to their ttl. */
    private static final int MOST = 1_000;

    private final Ticker ticker;
    private final ScheduledThreadPoolExecutor background;
    private final Map<LockId, Set<UncertainLease>> pending = new ConcurrentHashMap<>();
    private final AtomicInteger size = new AtomicInteger();

    public UncertainLeases(Ticker ticker) {
        this.ticker = ticker;
        background = new ScheduledThreadPoolExecutor(THREADS, DaemonThreads.named("rowlock-uncertain-leases"));
        background.setKeepAliveTime(5, TimeUnit.SECONDS);
        background.allowCoreThreadTimeOut(true);
        background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Has the store end whatever an attempt of uncertain outcome took, or will take. */
    public void abandon(ResolvedRequest request, LeaseRequest attempt) {
        Duration ttl = request.ttl();
        add(request, () -> request.store().abandon(attempt), ttl.compareTo(ON_ITS_WAY) > 0 ? ttl : ON_ITS_WAY);
    }

    /**
     * Has a lease ended of which no answer came.
     *
     * @param ending asks the database, and may do so at any time and any number of times; true if it need not be asked again
     * @param lasting how long it may matter
     */
    public void add(ResolvedRequest request, BooleanSupplier ending, Duration lasting) {
        if (size.incrementAndGet() > MOST) {
            size.decrementAndGet();
            log.debug(
                    "There are too many uncertain leases, so \"{}\" is left to its ttl", Printable.of(request.name()));
            return;
        }
        UncertainLease uncertain = new UncertainLease(request, ending, ticker, lasting);
        pending.compute(uncertain.id(), (id, present) -> {
            Set<UncertainLease> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(uncertain);
            return all;
        });
        later(uncertain);
    }

    /** How many there are at the moment. */
    public int size() {
        return size.get();
    }

    /**
     * Ends the uncertain leases of a key, except those that were tried a moment ago.
     *
     * @return whether this call ended one
     * @throws LockStoreException if the database could not be asked
     */
    public boolean clear(LockId id) {
        boolean ended = false;
        for (UncertainLease uncertain : pending.getOrDefault(id, Set.of())) {
            ended |= uncertain.isDue() && uncertain.end();
            removeIfOver(uncertain);
        }
        return ended;
    }

    private boolean removeIfOver(UncertainLease uncertain) {
        boolean over = uncertain.isOver();
        if (over) {
            pending.computeIfPresent(uncertain.id(), (id, all) -> {
                if (all.remove(uncertain)) {
                    size.decrementAndGet();
                }
                return all.isEmpty() ? null : all;
            });
        }
        return over;
    }

    private void later(UncertainLease uncertain) {
        try {
            ScheduledFuture<?> unused =
                    background.schedule(() -> endInBackground(uncertain), uncertain.pause(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The client is closed, so \"{}\" is left to its ttl", Printable.of(uncertain.name()));
        }
    }

    private void endInBackground(UncertainLease uncertain) {
        end(uncertain);
        if (!removeIfOver(uncertain)) {
            later(uncertain);
        }
    }

    private static void end(UncertainLease uncertain) {
        try {
            uncertain.end();
        } catch (RuntimeException e) {
            log.debug("\"{}\" may still be taken by a statement that got no answer", Printable.of(uncertain.name()), e);
        }
    }

    /** Does something in the background; its outcome is logged only. */
    public void later(Runnable action) {
        try {
            background.execute(() -> {
                try {
                    action.run();
                } catch (RuntimeException e) {
                    log.debug("What a failed attempt left behind was not released at once", e);
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("The client is closed, so what a failed attempt left behind ends with its ttl");
        }
    }

    /** Asks in the background. @return the answer, if it came in time and was not an error */
    public <T> Optional<T> ask(Supplier<T> question, Duration patience) {
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

    /** Tries all of them once more, as far as the database answers soon. None is added any more. */
    @Override
    public void close() {
        if (background.isShutdown()) {
            return;
        }
        long start = System.nanoTime();
        boolean done = awaitQueued();
        background.shutdownNow();
        pending.values().stream().flatMap(Set::stream).forEach(uncertain -> {
            if (done && System.nanoTime() - start < CLOSE_TIMEOUT) {
                end(uncertain);
            }
            if (!uncertain.isAnswered()) {
                log.info("\"{}\" may be taken until its ttl is over", Printable.of(uncertain.name()));
            }
        });
    }

    /** Waits until all threads have done what was to be done at once. @return false if that takes too long */
    private boolean awaitQueued() {
        CountDownLatch idle = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            background.execute(() -> {
                idle.countDown();
                boolean unused = await(idle); // so that this thread counts once
            });
        }
        return await(idle);
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(CLOSE_TIMEOUT, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
