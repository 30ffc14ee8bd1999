package io.rowlock.store;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Makes daemon threads: a background thread never keeps a JVM alive. Thread-safe. */
public final class DaemonThreads implements ThreadFactory {
    private static final int IDLE_SECONDS = 5;

    private final String name;
    private final @Nullable AtomicLong number;

    private DaemonThreads(String name, @Nullable AtomicLong number) {
        this.name = name;
        this.number = number;
    }

    /**
     * Threads of one name, for an executor that has one at a time.
     *
     * @param name of each thread
     * @return the factory
     */
    public static DaemonThreads named(String name) {
        return new DaemonThreads(name, null);
    }

    /**
     * Threads with a number behind their name.
     *
     * @param name what the names begin with
     * @return the factory
     */
    public static DaemonThreads numbered(String name) {
        return new DaemonThreads(name, new AtomicLong());
    }

    /**
     * An executor whose threads end when they are idle for a few seconds.
     *
     * @param threads how many it has at most
     * @param waiting how many tasks may wait for a thread; more are rejected
     * @return the executor
     */
    public ThreadPoolExecutor executor(int threads, int waiting) {
        return idle(new ThreadPoolExecutor(threads, threads, 0, SECONDS, new ArrayBlockingQueue<>(waiting), this));
    }

    /**
     * A scheduler whose threads end when they are idle for a few seconds.
     *
     * @param threads how many it has at most
     * @return the scheduler
     */
    public ScheduledThreadPoolExecutor scheduler(int threads) {
        return idle(new ScheduledThreadPoolExecutor(threads, this));
    }

    private static <E extends ThreadPoolExecutor> E idle(E executor) {
        executor.setKeepAliveTime(IDLE_SECONDS, SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Whatever thread needs it first has it made. It works for all, so it inherits none of that one's values, as of a tenant or a user. */
    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, number == null ? name : name + "-" + number.incrementAndGet(), 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        return thread;
    }

    /** Warns, and throws nothing, as an appender or a filter of the program may: what must go on does. */
    public static void warn(Logger log, String message, @Nullable Object... arguments) {
        try {
            log.warn(message, arguments);
        } catch (RuntimeException | Error e) {
            // there is no other place to report it
        }
    }
}
