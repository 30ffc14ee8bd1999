package io.rowlock.store;

import java.util.concurrent.ThreadFactory;

/**
 * Makes daemon threads of one name: a background thread never keeps a JVM alive. Thread-safe.
 *
 * @param name of each thread it makes
 */
public record DaemonThreads(String name) implements ThreadFactory {
    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
