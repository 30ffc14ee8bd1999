package io.rowlock.client.queue;

import java.util.HashSet;
import java.util.Set;

/**
 * The threads that wait for another process, so that they can be woken when there is nothing left to wait for. Only a
 * thread that waits is interrupted, and no interrupt of ours outlasts its wait. Thread-safe: {@code this} guards the fields.
 */
public final class InFlightThreads {
    private final Set<Thread> waiting = new HashSet<>();
    private final Set<Thread> woken = new HashSet<>();
    private boolean over;

    /** Waits for something, at most until {@link #wake}. */
    @FunctionalInterface
    interface Wait {
        void await() throws InterruptedException;
    }

    /** @throws InterruptedException if the thread was interrupted by somebody else */
    void await(Wait wait) throws InterruptedException {
        if (!begin()) {
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
            end(interrupted);
        }
    }

    private synchronized boolean begin() {
        return !over && waiting.add(Thread.currentThread());
    }

    private synchronized boolean isWoken() {
        return woken.contains(Thread.currentThread());
    }

    private synchronized void end(boolean interrupted) {
        waiting.remove(Thread.currentThread());
        if (woken.remove(Thread.currentThread()) && !interrupted) {
            boolean unused = Thread.interrupted();
        }
    }

    /** Wakes every thread that waits. From now on nobody waits. */
    public synchronized void wake() {
        over = true;
        waiting.stream().filter(woken::add).forEach(Thread::interrupt);
    }

    /** From now on threads wait again. */
    public synchronized void restart() {
        over = false;
    }
}
