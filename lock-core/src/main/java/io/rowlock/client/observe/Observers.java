package io.rowlock.client.observe;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.Printable;
import io.rowlock.client.observe.LockInstrumentation.Incident;
import io.rowlock.client.request.Ticker;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore.ExpiredLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the log, the meters and the listeners of a client, in this order, what happens to its locks; an {@link Observation} reports what
 * happens to one of them. What a log, a meter or a listener throws harms neither the lock nor the others. One thread notifies all listeners
 * that may block, each of all events in their order. Called without a guard, on the threads that acquire, renew and release locks. Thread-safe.
 */
public final class Observers implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(Observers.class);
    private static final String THREADS = "rowlock-events";
    private static final int MAX_THREADS = 64;
    private static final int MAX_WAITING_EVENTS = 10_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    final LockLog log;
    final LockInstrumentation meters;
    private final Ticker ticker;
    private final Iterable<? extends LockListener> listeners;
    private final Later events = new Later(THREADS, 1);
    private final Later actions = new Later(THREADS, MAX_THREADS);

    /**
     * @param ticker the client's clock
     * @param log closed with this
     */
    public Observers(
            Ticker ticker, LockLog log, LockInstrumentation meters, Iterable<? extends LockListener> listeners) {
        this.ticker = ticker;
        this.log = log;
        this.meters = meters;
        this.listeners = listeners;
    }

    public Ticker ticker() {
        return ticker;
    }

    /** Reports one thing to the log or to the meters. */
    static void safely(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException | Error e) {
            DaemonThreads.warn(logger, "An observer of locks failed", e);
        }
    }

    /** Begins something that the log or the meters keep. @return what they keep, or {@code nothing} if they fail */
    static <T> T safely(Supplier<T> begin, T nothing) {
        try {
            return begin.get();
        } catch (RuntimeException | Error e) {
            DaemonThreads.warn(logger, "An observer of locks failed", e);
            return nothing;
        }
    }

    /** Notifies every listener: those that do not block now on the calling thread, the others on the thread for events. */
    void notify(LockEvent event) {
        List<LockListener> blocking = new ArrayList<>(0);
        safely(() -> listeners.forEach(listener -> run(
                () -> {
                    if (listener.mayBlock()) {
                        blocking.add(listener);
                    } else {
                        listener.onEvent(event);
                    }
                },
                event)));
        if (!blocking.isEmpty()) {
            notifyLater(blocking, event);
        }
    }

    /** Notifies listeners on the thread for events. */
    private void notifyLater(Iterable<? extends LockListener> those, LockEvent event) {
        safely(() -> events.run(() -> those.forEach(listener -> run(() -> listener.onEvent(event), event)), event));
    }

    /** Calls one action on a thread for events. */
    public void callLater(LockEvent event, Consumer<LockEvent> action) {
        safely(() -> actions.run(() -> action.accept(event), event));
    }

    private static void run(Runnable task, Object event) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            DaemonThreads.warn(logger, "A listener failed on {}", event, e);
        }
    }

    /** Reports something to the meters alone. */
    public void measure(Consumer<LockInstrumentation> report) {
        safely(() -> report.accept(meters));
    }

    /** Reports that a lease is lost, once, or will be unless its next renewal succeeds; once for each renewal that is missed. */
    public void endangered(Incident how, LockEvent event, ObservedLock lock) {
        measure(each -> each.count(how, lock));
        notifyLater(listeners, event);
    }

    /** Reports that a lease was replaced that had expired in use. */
    public void expired(ObservedLock lock, ExpiredLease former) {
        Lease lease = former.lease();
        safely(() -> logger.warn(
                "The lock \"{}\" (token {}) was not released by {}, and has expired",
                Printable.of(lock.key()),
                lease.fence(),
                Printable.of(lease.owner())));
        safely(() -> log.expired(lock.strategy(), lease));
        notify(lock.event(
                LockEvent.Type.EXPIRED, lease.mode(), lease.owner(), lease.fence(), Duration.ZERO, former.held()));
    }

    /** Gives listeners a short time to receive the events that are queued. */
    @Override
    public void close() {
        log.close();
        actions.threads.shutdown();
        events.settle(System.nanoTime() + CLOSE_TIMEOUT.toNanos());
        events.threads.shutdown();
    }

    /** Threads for events, with a bounded queue. An event that does not fit is dropped, with one warning until one fits again. */
    public static final class Later {
        private final ThreadPoolExecutor threads;
        private final AtomicBoolean dropping = new AtomicBoolean();

        public Later(String name, int most) {
            threads = DaemonThreads.named(name).executor(most, MAX_WAITING_EVENTS);
        }

        /** Does something as soon as a thread is free; if none can begin, with what comes next. What it throws is logged. */
        public void run(Runnable task, Object event) {
            Runnable reported = () -> Observers.run(task, event);
            try {
                // If no thread could begin for what is there, one begins for the first of it
                boolean unused = threads.getQueue().isEmpty() || threads.prestartCoreThread();
                threads.execute(reported);
                dropping.set(false);
            } catch (OutOfMemoryError e) {
                boolean unused = threads.getQueue().contains(reported)
                        || threads.getQueue().offer(reported);
            } catch (RejectedExecutionException e) {
                if (dropping.compareAndSet(false, true)) {
                    safely(() -> logger.warn(
                            "Listeners miss {} and the events after it: too many listeners are blocked, or the client is closed",
                            event));
                }
            }
        }

        /** Returns once all is done that is to be done so far, or at {@code end}. */
        public void settle(long end) {
            settle(threads, end);
        }

        /** Returns once a thread has done what it has to do so far, or at {@code end}. */
        public static void settle(ExecutorService thread, long end) {
            try {
                thread.submit(() -> {}).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
                logger.debug("Not all was done in time", e);
            }
        }
    }
}
