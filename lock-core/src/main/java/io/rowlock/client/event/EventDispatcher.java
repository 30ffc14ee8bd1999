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

/** Tells listeners what happens to leases, and keeps what they do from harming any. Thread-safe. */
public final class EventDispatcher implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventDispatcher.class);
    private static final int MAX_THREADS = 64;
    private static final int MAX_WAITING_EVENTS = 10_000;
    private static final Duration LAST_WORDS = Duration.ofMillis(500);

    private final List<Told> listeners;
    private final Later others = new Later(MAX_THREADS);

    /** A listener with a thread of its own: it hears events in their order, and if it blocks, nobody else waits. */
    private record Told(LockListener listener, boolean inPlace, Later thread) {
        static Told of(LockListener listener) {
            return new Told(listener, !listener.mayBlock(), new Later(1));
        }

        void tell(LockEvent event) {
            if (inPlace) {
                run(() -> listener.onEvent(event), event);
            } else {
                tellLater(event);
            }
        }

        void tellLater(LockEvent event) {
            thread.run(() -> listener.onEvent(event), event);
        }
    }

    public EventDispatcher(Collection<? extends LockListener> listeners) {
        this.listeners = listeners.stream().map(Told::of).toList();
    }

    /** Tells every listener, those that do not block on the calling thread. */
    public void tell(LockEvent event) {
        for (Told told : listeners) {
            told.tell(event);
        }
    }

    /** Tells every listener, and each of {@code more}, on threads for events. */
    public void tellLater(LockEvent event, Collection<Consumer<LockEvent>> more) {
        for (Told told : listeners) {
            told.tellLater(event);
        }
        more.forEach(action -> callLater(event, action));
    }

    /** Calls one action on a thread for events. */
    public void callLater(LockEvent event, Consumer<LockEvent> action) {
        others.run(() -> action.accept(event), event);
    }

    private static void run(Runnable task, LockEvent event) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.warn("A lock listener failed on {}", event, e);
        }
    }

    /** Lets listeners hear what was to be told by now, but waits for none that takes long. */
    @Override
    public void close() {
        others.close();
        listeners.forEach(told -> told.thread().close());
        long end = System.nanoTime() + LAST_WORDS.toNanos();
        listeners.forEach(told -> told.thread().awaitEnd(end));
    }

    /** Threads for events, with a queue of limited length. What does not fit is dropped, and warned of once until all fits. */
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
                    new DaemonThreads("rowlock-events"));
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
                            "{} and what follows is not told: too many listeners are blocked, or the client is closed",
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
