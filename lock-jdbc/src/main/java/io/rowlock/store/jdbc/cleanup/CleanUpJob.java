package io.rowlock.store.jdbc.cleanup;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Maintenance;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans the tables now and then: every node tries each interval, and the one that gets the lock of the job does it. The
 * lock stays held for most of the interval, so the nodes together do it about once an interval. Thread-safe.
 */
public final class CleanUpJob implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(CleanUpJob.class);

    /** The job's own lock. Its key is reserved for what has its name as well. */
    static final String KEY = "rowlock:clean-up";

    private final LockClient client;
    private final Maintenance maintenance;
    private final Duration interval;
    private final ScheduledThreadPoolExecutor thread;

    /**
     * Starts the job.
     *
     * @param client acquires the lock of the job
     * @param maintenance what to do
     * @param interval how often
     * @throws IllegalArgumentException if the interval is not positive
     */
    public CleanUpJob(LockClient client, Maintenance maintenance, Duration interval) {
        this.client = client;
        this.maintenance = maintenance;
        this.interval = interval;
        this.thread = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("rowlock-clean-up"));
        long nanos = interval.toNanos();
        // At random, so that nodes started together do not ask together
        long first = nanos + ThreadLocalRandom.current().nextLong(nanos / 2 + 1);
        Future<?> unused = thread.scheduleWithFixedDelay(this::run, first, nanos, TimeUnit.NANOSECONDS);
    }

    /** Goes on at the next time, whatever happens: an executor ends a repeated task that throws. */
    void run() {
        try {
            LockRequest request = LockRequest.exclusive(KEY)
                    .withName("clean-up")
                    .withHoldAtLeast(interval.multipliedBy(9).dividedBy(10));
            client.tryAcquire(request).ifPresent(this::cleanUp);
        } catch (LockStoreException e) {
            DaemonThreads.warn(
                    log,
                    "The lock tables were not cleaned, next try in {}: {}",
                    Printable.of(interval),
                    e.getMessage());
        } catch (RuntimeException | Error e) {
            DaemonThreads.warn(log, "The clean-up failed and goes on, next try in {}", Printable.of(interval), e);
        }
    }

    private void cleanUp(HeldLock lock) {
        try (lock) {
            String done = maintenance.cleanUp();
            if (!done.isEmpty()) {
                log.debug("Cleaned the lock tables: {}", done);
            }
        }
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
