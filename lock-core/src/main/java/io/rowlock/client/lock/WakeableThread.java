package io.rowlock.client.lock;

import io.rowlock.client.request.Ticker;
import io.rowlock.store.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon thread that runs a task again and again, each time when the task's last run asked for or an alarm was set
 * for, whichever is earlier. Nothing the task throws ends the thread.
 */
final class WakeableThread implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WakeableThread.class);
    private static final long AFTER_A_FAILURE = Duration.ofMillis(500).toNanos();

    /** Nothing to do: as far ahead as readings of a ticker can be compared. */
    private static final long NEVER = Long.MAX_VALUE / 2;

    private final Ticker ticker;
    private final LongUnaryOperator task;
    private final AtomicLong alarm;
    private final Thread thread;
    private volatile boolean closed;

    /** @param task gets a reading of the ticker, and returns at which it wants to run again */
    WakeableThread(String name, Ticker ticker, LongUnaryOperator task) {
        this.ticker = ticker;
        this.task = task;
        this.alarm = new AtomicLong(ticker.nanoTime() + NEVER);
        this.thread = DaemonThreads.named(name).newThread(this::loop);
        thread.start();
    }

    /** Returns the answer of a task that has nothing to do until an alarm is set. */
    static long never(long now) {
        return now + NEVER;
    }

    /** Makes the task run at {@code time} if it would not run earlier anyway. Costs one comparison if it would. */
    void at(long time) {
        if (time - alarm.get() < 0) {
            long unused = alarm.updateAndGet(present -> time - present < 0 ? time : present);
            LockSupport.unpark(thread);
        }
    }

    private void loop() {
        while (!closed) {
            long wait = alarm.get() - ticker.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(this, wait);
            } else {
                alarm.set(never(ticker.nanoTime()));
                at(run());
            }
        }
    }

    private long run() {
        try {
            return task.applyAsLong(ticker.nanoTime());
        } catch (RuntimeException | Error e) {
            DaemonThreads.warn(log, "{} failed and goes on", thread.getName(), e);
            return ticker.nanoTime() + AFTER_A_FAILURE;
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
