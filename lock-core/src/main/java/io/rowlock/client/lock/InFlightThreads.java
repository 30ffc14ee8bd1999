package io.rowlock.client.lock;

import io.rowlock.LockStoreException;
import java.util.HashSet;
import java.util.Set;

/**
 * The threads that are on their way to a lock and wait for another process. While the client drains, none sets out and those that wait
 * are woken. Only a thread that waits is interrupted, and no interrupt of ours outlasts its wait. Thread-safe: {@code this} guards the
 * fields.
 */
public final class InFlightThreads {
    private final Set<Thread> waiting = new HashSet<>();
    private final Set<Thread> woken = new HashSet<>();

    /** Written under the guard. Read without it after a lease was kept: then either this thread or the drain sees it. */
    private volatile boolean draining;

    /** Waits for something, at most until {@link #drain}. */
    @FunctionalInterface
    public interface Wait {
        void await() throws InterruptedException;
    }

    /** From now on no lock is granted. Wakes every thread that waits. */
    public synchronized void drain() {
        draining = true;
        waiting.stream().filter(woken::add).forEach(Thread::interrupt);
    }

    /** From now on locks are granted again. */
    public synchronized void resume() {
        draining = false;
    }

    /** Returns true if locks are granted. */
    public boolean isOpen() {
        return !draining;
    }

    /** @throws LockStoreException if no lock is granted any more */
    public void requireOpen() {
        if (draining) {
            throw shutDown();
        }
    }

    public static LockStoreException shutDown() {
        return new LockStoreException(
                "No lock is acquired: the lock client is being closed, because the application shuts down", null);
    }

    /** @throws InterruptedException if the thread was interrupted by another than {@link #drain} */
    public void await(Wait wait) throws InterruptedException {
        if (!beginWait()) {
            return;
        }
        boolean interrupted = false;
        try {
            wait.await();
        } catch (InterruptedException e) {
            interrupted = true;
            if (!isWoken()) {
                throw e;
            }
        } finally {
            endWait(interrupted);
        }
    }

    private synchronized boolean beginWait() {
        return !draining && waiting.add(Thread.currentThread());
    }

    private synchronized boolean isWoken() {
        return woken.contains(Thread.currentThread());
    }

    private synchronized void endWait(boolean interrupted) {
        waiting.remove(Thread.currentThread());
        if (woken.remove(Thread.currentThread()) && !interrupted) {
            boolean unused = Thread.interrupted();
        }
    }
}
