package io.rowlock.client.event;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import io.rowlock.store.DaemonThreads;
import java.time.Duration;
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

/** Notifies listeners of what happens to leases. A listener that blocks or throws affects no lease. Thread-safe. */
public final class EventDispatcher implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventDispatcher.class);
    private static final int MAX_THREADS = 64;
    private static final int MAX_WAITING_EVENTS = 10_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(500);

    private final List<Subscriber> listeners;
    private final Later actions = new Later(MAX_THREADS);

    /** A listener with a thread of its own: it receives events in their order, and blocks no other listener. */
    private record Subscriber(LockListener listener, boolean inPlace, Later thread) {
        static Subscriber of(LockListener listener) {
            return new Subscriber(listener, !listener.mayBlock(), new Later(1));
        }

        void notify(LockEvent event) {
            if (inPlace) {
                run(() -> listener.onEvent(event), event);
            } else {
                notifyLater(event);
            }
        }

        void notifyLater(LockEvent event) {
            thread.run(() -> listener.onEvent(event), event);
        }
    }

    public EventDispatcher(Collection<? extends LockListener> listeners) {
        this.listeners = listeners.stream().map(Subscriber::of).toList();
    }

    /** Notifies every listener: those that do not block on the calling thread, the others on threads for events. */
    public void notify(LockEvent event) {
        for (Subscriber subscriber : listeners) {
            subscriber.notify(event);
        }
    }

    /** Notifies every listener on a thread for events. */
    public void notifyLater(LockEvent event) {
        for (Subscriber subscriber : listeners) {
            subscriber.notifyLater(event);
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
        listeners.forEach(subscriber -> subscriber.thread().close());
        long end = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        listeners.forEach(subscriber -> subscriber.thread().awaitEnd(end));
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

        void awaitEnd(long end) {
            try {
                boolean unused = threads.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
