package io.rowlock.interceptor.result;

import io.rowlock.store.DaemonThreads;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Waits for futures that have no callback, each on a daemon thread of its own. */
final class FutureWatch {
    private final Executor executor = Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-async"));

    void releaseAfter(Future<?> future, LockRelease release) {
        executor.execute(() -> {
            await(future);
            release.close();
        });
    }

    /** @return the future to give to the caller instead: a loss of the lock ends it */
    <T extends @Nullable Object> CompletionStage<T> releasing(Future<T> future, LockRelease release) {
        Watched<T> watched = new Watched<>(future);
        executor.execute(() -> watched.completeAsTheBody(release));
        return watched;
    }

    private static void await(Future<?> future) {
        while (true) {
            try {
                future.get();
                return;
            } catch (ExecutionException | CancellationException completed) {
                return; // how it ended is the caller's business, who has the future
            } catch (InterruptedException ignored) {
                // only the executor owns this thread: the lock is kept until the body has ended
            }
        }
    }

    /** Completes as the body's future did, after the lock was released; cancelling it cancels the body's. */
    private static final class Watched<T extends @Nullable Object> extends CompletableFuture<T> {
        private final Future<T> body;

        Watched(Future<T> body) {
            this.body = body;
        }

        void completeAsTheBody(LockRelease release) {
            await(body);
            try {
                T value = body.get();
                Throwable loss = release.afterCompletion(null);
                if (loss == null) {
                    complete(value);
                } else {
                    completeExceptionally(loss);
                }
            } catch (ExecutionException failure) {
                completeExceptionally(ended(release, failure.getCause() == null ? failure : failure.getCause()));
            } catch (CancellationException | InterruptedException failure) {
                completeExceptionally(ended(release, failure));
            }
        }

        private static Throwable ended(LockRelease release, Throwable thrown) {
            release.afterThrow(thrown);
            return thrown;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            body.cancel(mayInterruptIfRunning);
            return super.cancel(mayInterruptIfRunning);
        }
    }
}
