package io.rowlock.leader;

import io.rowlock.store.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one thread on which the rounds of all roles are held. It is there only if a role is stood for. Thread-safe. */
final class Rounds implements AutoCloseable {
    private static final Logger logger = LoggerFactory.getLogger(Rounds.class);
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final ScheduledThreadPoolExecutor thread;

    Rounds() {
        thread = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("rowlock-leader"));
        thread.setKeepAliveTime(5, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    void now(Runnable round) {
        schedule(round, 0);
    }

    /**
     * After five to eight tenths of {@code interval}, at random: on a busy machine, too, the rest is enough to hold the
     * round, so that two successive ones are less than an interval apart.
     */
    void after(Duration interval, Runnable round) {
        schedule(round, (long) (interval.toNanos() * ThreadLocalRandom.current().nextDouble(0.5, 0.8)));
    }

    private void schedule(Runnable round, long nanos) {
        try {
            ScheduledFuture<?> unused = thread.schedule(() -> run(round), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            logger.debug("There are no more rounds: the elections are closed");
        }
    }

    private static void run(Runnable round) {
        try {
            round.run();
        } catch (RuntimeException | Error e) {
            logger.warn("A round of an election failed", e);
        }
    }

    /**
     * Returns once the round that is under way has ended, or has taken as long as a healthy database needs: what it may
     * have won is released by then.
     */
    void settle() {
        try {
            thread.submit(() -> {}).get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
            logger.debug("A round may still be under way", e);
        }
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
