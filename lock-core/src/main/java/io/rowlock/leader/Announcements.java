package io.rowlock.leader;

import io.rowlock.store.DaemonThreads;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notifies the listeners of one role, one event after another. Has a thread only while it does. Thread-safe. */
final class Announcements {
    private static final Logger logger = LoggerFactory.getLogger(Announcements.class);
    private static final int MAX_WAITING = 1_000;

    private final List<LeadershipListener> listeners;
    private final ExecutorService thread;

    Announcements(List<LeadershipListener> listeners) {
        this.listeners = new CopyOnWriteArrayList<>(listeners);
        thread = DaemonThreads.named("rowlock-leader-events").executor(1, MAX_WAITING);
    }

    void add(LeadershipListener listener) {
        listeners.add(listener);
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
        settle(thread, end);
    }

    /** Returns once a thread has done what it has to do so far, or at {@code end}. */
    static void settle(ExecutorService thread, long end) {
        try {
            thread.submit(() -> {}).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            logger.debug("A round is still under way, or a listener has not received every event yet", e);
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
