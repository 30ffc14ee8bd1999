package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners what happens to leases, and keeps what they do from harming any. Thread-safe. */
final class LockEvents implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LockEvents.class);
    private static final int MAX_THREADS = 8;
    private static final int MAX_WAITING_EVENTS = 10_000;

    private final List<Told> listeners;
    private final ThreadPoolExecutor threads = threads(MAX_THREADS);

    /** A listener with a thread of its own: it hears events in their order, and if it blocks, nobody else waits. */
    private record Told(LockListener listener, ThreadPoolExecutor thread) {}

    LockEvents(Collection<? extends LockListener> listeners) {
        this.listeners = listeners.stream()
                .map(listener -> new Told(listener, threads(1)))
                .toList();
    }

    private static ThreadPoolExecutor threads(int most) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                most, most, 5, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING_EVENTS), task -> {
                    Thread thread = new Thread(task, "rowlock-events");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Tells every listener on the calling thread. */
    void tell(LockEvent event) {
        listeners.forEach(told -> run(() -> told.listener().onEvent(event), event));
    }

    /** Tells every listener, and each of {@code more}, on threads for events. */
    void tellLater(LockEvent event, Collection<Consumer<LockEvent>> more) {
        listeners.forEach(told -> later(told.thread(), () -> told.listener().onEvent(event), event));
        more.forEach(action -> callLater(event, action));
    }

    /** Calls one action on a thread for events. */
    void callLater(LockEvent event, Consumer<LockEvent> action) {
        later(threads, () -> action.accept(event), event);
    }

    private static void run(Runnable task, LockEvent event) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.warn("A lock listener failed on {}", event, e);
        }
    }

    private static void later(ThreadPoolExecutor threads, Runnable task, LockEvent event) {
        try {
            threads.execute(() -> run(task, event));
        } catch (RejectedExecutionException e) {
            log.warn("Nobody could be told of {}: too many listeners are blocked, or the client is closed", event);
        }
    }

    @Override
    public void close() {
        threads.shutdown();
        listeners.forEach(told -> told.thread().shutdown());
    }
}
