package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Threads for statements that may block, because JDBC cannot be interrupted, and one that knows when it is time for the next.
 * They end when they are not used. Thread-safe.
 */
final class BlockingCalls implements Executor, AutoCloseable {
    private static final int AT_ONCE = 16;
    private static final DaemonThreads THREADS = DaemonThreads.numbered("rowlock-row-lock");

    private static final Duration IDLE_TIMER = Duration.ofSeconds(60);

    private final ExecutorService threads = Executors.newCachedThreadPool(THREADS);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, THREADS);

    BlockingCalls() {
        timer.setKeepAliveTime(IDLE_TIMER.toNanos(), TimeUnit.NANOSECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    /** @throws RejectedExecutionException after {@link #close} */
    @Override
    public void execute(Runnable work) {
        threads.execute(work);
    }

    /** Runs work on a thread of its own after a while, unless {@link #close} comes first. */
    void later(Runnable work, Duration delay) {
        try {
            ScheduledFuture<?> unused =
                    timer.schedule(() -> threads.execute(work), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // closed, so there is nothing left to be done later
        }
    }

    /**
     * Asks for each of many things, several at the same time, so that one that does not answer holds up no other.
     *
     * @param patience how long to wait for the last answer
     * @param unanswered what stands for an answer that did not come
     */
    <K, V> Map<K, V> each(List<K> all, Function<K, V> question, Duration patience, V unanswered) {
        if (all.size() == 1) {
            return Map.of(all.get(0), question.apply(all.get(0)));
        }
        Map<K, V> answers = new ConcurrentHashMap<>();
        Queue<K> left = new ConcurrentLinkedQueue<>(all);
        long start = System.nanoTime();
        Runnable work = () -> {
            while (System.nanoTime() - start < patience.toNanos()) {
                K next = left.poll();
                if (next == null) {
                    return;
                }
                answers.put(next, question.apply(next));
            }
        };
        runTogether(Collections.nCopies(Math.min(AT_ONCE, all.size()), Executors.callable(work)), patience);
        Map<K, V> outcome = new ConcurrentHashMap<>();
        all.forEach(each -> outcome.put(each, answers.getOrDefault(each, unanswered)));
        return outcome;
    }

    private void runTogether(List<Callable<Object>> work, Duration patience) {
        if (work.isEmpty()) {
            return;
        }
        try {
            threads.invokeAll(new ArrayList<>(work), patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RejectedExecutionException e) {
            // closed: nothing is answered any more
        }
    }

    /** Threads that are in a statement end with it. */
    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdown();
    }
}
