package io.rowlock.interceptor.result;

import io.rowlock.OnLost;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Releases a lock after its body returned: at once, or when the asynchronous work it returned has ended. */
public final class AsyncResults {
    private final FutureWatch watch = new FutureWatch();

    @Nullable
    public Object release(LockRelease release, @Nullable Object result, Class<?> returnType) {
        boolean evenIfDone = release.onLost() == OnLost.THROW;
        if (result instanceof CompletionStage<?> stage && (evenIfDone || !isDone(stage))) {
            release.detach();
            return ReleasingFuture.of(stage, release, returnType);
        }
        if (result instanceof Future<?> future && (evenIfDone || !future.isDone())) {
            release.detach();
            if (evenIfDone) {
                return watch.releasing(future, release);
            }
            watch.releaseAfter(future, release);
            return result;
        }
        if (result instanceof Callable<?> callable && returnType.isAssignableFrom(Callable.class)) {
            release.detach();
            return DeferredWork.releasing(callable, release);
        }
        if (WebAsyncResults.include(result)) {
            release.detach();
            return releasedAfterRequest(release, Objects.requireNonNull(result));
        }
        release.afterReturn();
        return result;
    }

    private static Object releasedAfterRequest(LockRelease release, Object result) {
        try {
            WebAsyncResults.releaseAfter(result, release);
            return result;
        } catch (IllegalStateException failure) {
            release.afterThrow(failure);
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
}
