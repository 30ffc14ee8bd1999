package io.rowlock.client;

import io.rowlock.LockEvent;
import io.rowlock.LockListener;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells listeners what happens to leases, and keeps what they do from harming any. Thread-safe. */
final class LockEvents implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LockEvents.class);
    private static final int MAX_THREADS = 8;
    private static final int MAX_WAITING_EVENTS = 10_000;

    private final List<LockListener> listeners;
    private final ThreadPoolExecutor threads;

    LockEvents(Collection<? extends LockListener> listeners) {
        this.listeners = List.copyOf(listeners);
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(
                MAX_THREADS, MAX_THREADS, 5, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING_EVENTS), task -> {
                    Thread thread = new Thread(task, "rowlock-events-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
    }

    /** Tells every listener on the calling thread. */
    void tell(LockEvent event) {
        for (LockListener listener : listeners) {
            try {
                listener.onEvent(event);
            } catch (RuntimeException | Error e) {
                log.warn("A lock listener failed on {}", event, e);
            }
        }
    }

    /** Tells every listener, and then each of {@code more}, on a thread for events. */
    void tellLater(LockEvent event, Collection<Consumer<LockEvent>> more) {
        later(() -> tell(event), event);
        more.forEach(action -> callLater(event, action));
    }

    /** Calls one action on a thread for events. */
    void callLater(LockEvent event, Consumer<LockEvent> action) {
        later(() -> action.accept(event), event);
    }

    private void later(Runnable task, LockEvent event) {
        try {
            threads.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    log.warn("A lock listener failed on {}", event, e);
                }
            });
        } catch (RejectedExecutionException e) {
            log.warn("Nobody could be told of {}: too many listeners are blocked, or the client is closed", event);
        }
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
