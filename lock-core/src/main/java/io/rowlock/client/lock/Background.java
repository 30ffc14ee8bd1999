package io.rowlock.client.lock;

import io.rowlock.LockStoreException;
import io.rowlock.store.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the store on behalf of no thread, on a few threads of its own, so that one call that hangs delays no other. Thread-safe. */
final class Background {
    private static final Logger log = LoggerFactory.getLogger(Background.class);
    private static final int THREADS = 4;

    private final ScheduledThreadPoolExecutor executor =
            DaemonThreads.named("rowlock-background").scheduler(THREADS);

    /** Does something after {@code nanos}, or never if that is after the end; its outcome is only logged. */
    void later(Runnable action, long nanos) {
        try {
            ScheduledFuture<?> unused = executor.schedule(() -> run(action), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // closed, or no memory for a thread
            log.debug("No thread can begin, so what is left behind ends with its ttl");
        }
    }

    private static void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            log.debug("What was left behind is not released yet", e);
        }
    }

    /**
     * Ends each of them. Once a store could not be asked for one, the others are ended in the background: each might take as long.
     *
     * @param why what went wrong before, or null; what goes wrong now is added to it
     * @param leave does what cannot wait for the background
     * @return what went wrong first, an error before any exception, or null
     */
    <T> @Nullable Throwable each(List<T> all, @Nullable Throwable why, Consumer<T> end, Consumer<T> leave) {
        Throwable failure = why;
        boolean silent = why instanceof LockStoreException;
        for (T one : all) {
            try {
                if (silent) {
                    leave.accept(one);
                    later(() -> end.accept(one), 0);
                } else {
                    end.accept(one);
                }
            } catch (RuntimeException | Error e) {
                silent |= e instanceof LockStoreException;
                failure = first(failure, e);
            }
        }
        return failure;
    }

    /** Returns the failure that is thrown, which has the other one: the first, but an error before any exception. */
    private static Throwable first(@Nullable Throwable before, Throwable now) {
        if (before == null || before == now) {
            return now;
        }
        boolean isWorse = now instanceof Error && !(before instanceof Error);
        (isWorse ? now : before).addSuppressed(isWorse ? before : now);
        return isWorse ? now : before;
    }

    /** Asks a question. @return the answer, if it came in time and was not an error */
    <T> Optional<T> ask(Supplier<T> question, Duration patience) {
        try {
            CompletableFuture<T> answer = CompletableFuture.supplyAsync(question, executor);
            return Optional.of(answer.get(patience.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException | RejectedExecutionException | OutOfMemoryError e) {
            return Optional.empty();
        }
    }

    /** Ends, after what was to be done at once. @return false if that took longer than {@code nanos}, or the thread was interrupted */
    boolean close(long nanos) {
        executor.getQueue().removeIf(task -> ((Delayed) task).getDelay(TimeUnit.NANOSECONDS) > 0);
        executor.shutdown();
        try {
            return executor.awaitTermination(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            executor.shutdownNow();
        }
    }
}
