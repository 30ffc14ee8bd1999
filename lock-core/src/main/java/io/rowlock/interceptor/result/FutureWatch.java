package io.rowlock.interceptor.result;

import io.rowlock.HeldLock;
import io.rowlock.store.DaemonThreads;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Waits for futures that have no callback, each on a daemon thread of its own. */
final class FutureWatch {
    private final Executor executor = Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-async"));

    void releaseAfter(Future<?> future, HeldLock lock) {
        executor.execute(() -> {
            await(future);
            LockRelease.afterCompletion(lock, null);
        });
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
}
