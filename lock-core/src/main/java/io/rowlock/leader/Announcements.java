package io.rowlock.leader;

import io.rowlock.store.DaemonThreads;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies the listeners of one role, one event after another. Has a thread only while it does. Thread-safe. */
final class Announcements {
    private static final Logger logger = LoggerFactory.getLogger(Announcements.class);
    private static final int MAX_WAITING = 1_000;

    private final List<LeadershipListener> listeners;
    private final ThreadPoolExecutor thread;

    Announcements(List<LeadershipListener> listeners) {
        this.listeners = new CopyOnWriteArrayList<>(listeners);
        thread = new ThreadPoolExecutor(
                1,
                1,
                5,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MAX_WAITING),
                DaemonThreads.named("rowlock-leader-events"));
        thread.allowCoreThreadTimeOut(true);
    }

    void add(LeadershipListener listener) {
        listeners.add(listener);
    }

    void remove(LeadershipListener listener) {
        listeners.remove(listener);
    }

    /** Delivers the event on the thread for events. */
    void publish(LeadershipEvent event) {
        logger.debug("{}", event);
        try {
            thread.execute(() -> listeners.forEach(listener -> notify(listener, event)));
        } catch (RejectedExecutionException e) {
            logger.warn("Listeners miss {}: too many events wait for a listener that blocks", event);
        }
    }

    /** Returns once the listeners have received the events published so far, or at {@code end}. */
    void settle(long end) {
        try {
            thread.submit(() -> {}).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            logger.debug("A listener has not received every event yet", e);
        }
    }

    private static void notify(LeadershipListener listener, LeadershipEvent event) {
        try {
            listener.onEvent(event);
        } catch (RuntimeException | Error e) {
            logger.warn("A leadership listener failed on {}", event, e);
        }
    }
}
