package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.store.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies listeners of what happens to leases. One thread notifies all those that may block, each of all events in their order. A listener
 * that blocks or throws affects no lease. Thread-safe.
 */
final class EventDispatcher implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventDispatcher.class);
    private static final int MAX_THREADS = 64;
    private static final int MAX_WAITING_EVENTS = 10_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final List<LockListener> listeners;
    private final Later events = new Later(1);
    private final Later actions = new Later(MAX_THREADS);

    public EventDispatcher(Collection<? extends LockListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    /** Notifies every listener: those that do not block now on the calling thread, the others on the thread for events. */
    public void notify(LockEvent event) {
        List<LockListener> blocking = new ArrayList<>(0);
        for (LockListener listener : listeners) {
            run(
                    () -> {
                        if (listener.mayBlock()) {
                            blocking.add(listener);
                        } else {
                            listener.onEvent(event);
                        }
                    },
                    event);
        }
        notifyLater(blocking, event);
    }

    /** Notifies every listener on the thread for events. */
    public void notifyLater(LockEvent event) {
        notifyLater(listeners, event);
    }

    private void notifyLater(List<LockListener> those, LockEvent event) {
        if (!those.isEmpty()) {
            events.run(() -> those.forEach(listener -> run(() -> listener.onEvent(event), event)), event);
        }
    }

    /** Calls one action on a thread for events. */
    public void callLater(LockEvent event, Consumer<LockEvent> action) {
        actions.run(() -> action.accept(event), event);
    }

    private static void run(Runnable task, LockEvent event) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.warn("A lock listener failed on {}", event, e);
        }
    }

    /** Gives listeners a short time to receive the events that are queued. */
    @Override
    public void close() {
        actions.close();
        events.close();
        events.awaitEnd(CLOSE_TIMEOUT);
    }

    /** Threads for events, with a bounded queue. An event that does not fit is dropped, with one warning until one fits again. */
    private static final class Later implements AutoCloseable {
        private final ThreadPoolExecutor threads;
        private final AtomicBoolean dropping = new AtomicBoolean();

        Later(int most) {
            threads = new ThreadPoolExecutor(
                    most,
                    most,
                    5,
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(MAX_WAITING_EVENTS),
                    DaemonThreads.named("rowlock-events"));
            threads.allowCoreThreadTimeOut(true);
        }

        void run(Runnable task, LockEvent event) {
            try {
                threads.execute(() -> EventDispatcher.run(task, event));
                if (dropping.get()) {
                    dropping.set(false);
                }
            } catch (RejectedExecutionException e) {
                if (dropping.compareAndSet(false, true)) {
                    log.warn(
                            "Listeners miss {} and the events after it: too many listeners are blocked, or the client is closed",
                            event);
                }
            }
        }

        @Override
        public void close() {
            threads.shutdown();
        }

        void awaitEnd(Duration atMost) {
            try {
                boolean unused = threads.awaitTermination(atMost.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
