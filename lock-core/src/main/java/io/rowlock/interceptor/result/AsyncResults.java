package io.rowlock.interceptor.result;

import io.rowlock.HeldLock;
import io.rowlock.client.DetachableLock;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Releases a lock after its body returned: at once, or when the asynchronous work it returned has ended. */
public final class AsyncResults {
    private final FutureWatch watch = new FutureWatch();

    @Nullable
    public Object release(HeldLock lock, @Nullable Object result, Class<?> returnType) {
        if (result instanceof CompletionStage<?> stage && !isDone(stage)) {
            detach(lock);
            return ReleasingFuture.of(stage, lock, returnType);
        }
        if (result instanceof Future<?> future && !future.isDone()) {
            detach(lock);
            watch.releaseAfter(future, lock);
            return result;
        }
        if (result instanceof Callable<?> callable && returnType.isAssignableFrom(Callable.class)) {
            detach(lock);
            return DeferredWork.releasing(callable, lock);
        }
        if (WebAsyncResults.include(result)) {
            detach(lock);
            return releasedAfterRequest(lock, Objects.requireNonNull(result));
        }
        LockRelease.afterReturn(lock);
        return result;
    }

    private static Object releasedAfterRequest(HeldLock lock, Object result) {
        try {
            WebAsyncResults.releaseAfter(result, lock);
            return result;
        } catch (IllegalStateException failure) {
            LockRelease.afterThrow(lock, failure);
            throw failure;
        }
    }

    private static boolean isDone(CompletionStage<?> stage) {
        try {
            return (stage instanceof Future<?> future ? future : stage.toCompletableFuture()).isDone();
        } catch (UnsupportedOperationException unknown) {
            return false;
        }
    }

    private static void detach(HeldLock lock) {
        if (lock instanceof DetachableLock detachable) {
            detachable.detach();
        }
    }
}
