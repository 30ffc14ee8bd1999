package io.rowlock.store;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Makes daemon threads: a background thread never keeps a JVM alive. Thread-safe. */
public final class DaemonThreads implements ThreadFactory {
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

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, number == null ? name : name + "-" + number.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
