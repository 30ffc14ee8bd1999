package io.rowlock.client;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import java.time.Duration;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes back leases of which this process does not know whether it has them, because no answer came. Nobody renews such a
 * lease, so its ttl ends it at the latest; this only spares others the wait. It is done by the next thread that has the
 * turn for the key, or in the background if there is none. Thread-safe.
 */
final class Leftovers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Leftovers.class);
    private static final long PAUSE = Duration.ofMillis(500).toNanos();

    /** How long a client that is closed waits for what is to be given back. */
    private static final long LAST_WORDS = Duration.ofSeconds(3).toNanos();

    private final Ticker ticker;
    private final KeyLines lines;
    private final boolean ownerIsUnique;
    private final ScheduledThreadPoolExecutor background;
    private final Map<KeyLine, Terms> pending = new ConcurrentHashMap<>();

    /** @param ownerIsUnique whether an exclusive lease that shows our owner is certain to be ours */
    Leftovers(Ticker ticker, KeyLines lines, boolean ownerIsUnique) {
        this.ticker = ticker;
        this.lines = lines;
        this.ownerIsUnique = ownerIsUnique;
        background = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "rowlock-leftovers");
            thread.setDaemon(true);
            return thread;
        });
        background.setKeepAliveTime(5, TimeUnit.SECONDS);
        background.allowCoreThreadTimeOut(true);
        background.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Notes an attempt of uncertain outcome. The caller has the turn. */
    void add(Terms terms, KeyLine line, LeaseRequest request) {
        if (request.mode() == LockMode.EXCLUSIVE && !ownerIsUnique) {
            return;
        }
        line.leftovers.add(
                new KeyLine.Leftover(request, ticker.nanoTime() + terms.ttl().toNanos()));
        lines.use(terms.id());
        pending.put(line, terms);
        later(terms, line);
    }

    /**
     * Takes back what is noted. The caller has the turn.
     *
     * @throws LockStoreException if the database could not be asked
     */
    void clear(KeyLine line, LockStore store) {
        for (Iterator<KeyLine.Leftover> all = line.leftovers.iterator(); all.hasNext(); ) {
            KeyLine.Leftover leftover = all.next();
            if (leftover.until() - ticker.nanoTime() > 0) {
                store.abandon(leftover.request());
            }
            all.remove();
        }
    }

    private void later(Terms terms, KeyLine line) {
        try {
            ScheduledFuture<?> unused =
                    background.schedule(() -> clearInBackground(terms, line), PAUSE, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The client is closed, so \"{}\" is left to its ttl", Printable.of(terms.name()));
        }
    }

    private void clearInBackground(Terms terms, KeyLine line) {
        if (cleared(terms, line)) {
            pending.remove(line);
            lines.leave(terms.id());
        } else {
            later(terms, line);
        }
    }

    private boolean cleared(Terms terms, KeyLine line) {
        if (!line.tryTurn()) {
            return false;
        }
        try {
            clear(line, terms.store());
            return true;
        } catch (RuntimeException e) {
            log.debug("\"{}\" may still be taken by an attempt that got no answer", Printable.of(terms.name()), e);
            return false;
        } finally {
            line.endTurn();
        }
    }

    /** Gives a lease back that nobody wants any more, without anybody waiting for it. */
    void giveBack(ManagedLease lease) {
        later(lease::release);
    }

    /** Does something in the background; whatever comes of it, nobody waits for it. */
    void later(Runnable action) {
        try {
            background.execute(() -> {
                try {
                    action.run();
                } catch (RuntimeException e) {
                    log.debug("What a failed attempt left behind ends with its ttl", e);
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

    /** Gives back what is to be given back, as far as the database answers soon. Nobody adds anything any more. */
    @Override
    public void close() {
        if (background.isShutdown()) {
            return;
        }
        long start = System.nanoTime();
        Optional<Boolean> done = ask(() -> true, Duration.ofNanos(LAST_WORDS)); // after all that was to be done at once
        background.shutdownNow();
        for (Map.Entry<KeyLine, Terms> each : pending.entrySet()) {
            boolean inTime = done.isPresent() && System.nanoTime() - start < LAST_WORDS;
            if (!inTime || !cleared(each.getValue(), each.getKey())) {
                log.info(
                        "\"{}\" may be taken until its ttl is over",
                        Printable.of(each.getValue().name()));
            }
        }
    }
}
