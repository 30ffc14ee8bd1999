package io.rowlock.client.queue;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The threads that ask the database for a lock just now: it may grant one at any moment. Thread-safe: {@code this} guards. */
public final class Underway {
    private final Set<Thread> asking = new HashSet<>();

    synchronized void begin() {
        asking.add(Thread.currentThread());
    }

    synchronized void end() {
        asking.remove(Thread.currentThread());
        notifyAll();
    }

    /** Waits until no other thread asks any more. @return false if some still did when the time was over */
    public synchronized boolean awaitEnd(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        boolean interrupted = false;
        try {
            while (isAnyOther()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean isAnyOther() {
        return asking.stream().anyMatch(thread -> thread != Thread.currentThread());
    }
}
