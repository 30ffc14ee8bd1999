package io.rowlock.interceptor.result;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Completes as another stage did, after the lock of that was released; cancelling it cancels the other. */
final class ReleasingFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final CompletionStage<T> body;

    private ReleasingFuture(CompletionStage<T> body) {
        this.body = body;
    }

    /** The stage to give to the caller: the body's own if its declared type leaves no choice. */
    static <T extends @Nullable Object> CompletionStage<T> of(
            CompletionStage<T> body, LockRelease release, Class<?> returnType) {
        if (!returnType.isAssignableFrom(CompletableFuture.class)) {
            body.whenComplete((value, thrown) -> release.afterCompletion(thrown));
            return body;
        }
        ReleasingFuture<T> future = new ReleasingFuture<>(body);
        body.whenComplete((value, thrown) -> future.completeAsTheBody(value, release.afterCompletion(thrown)));
        return future;
    }

    // the exception goes on as it came: what get() and join() wrap or unwrap is then the same as for the body's stage
    private void completeAsTheBody(T value, @Nullable Throwable thrown) {
        if (thrown == null) {
            complete(value);
        } else {
            completeExceptionally(thrown);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!isDone()) {
            cancelBody(mayInterruptIfRunning);
        }
        return super.cancel(mayInterruptIfRunning);
    }

    private void cancelBody(boolean mayInterruptIfRunning) {
        try {
            body.toCompletableFuture().cancel(mayInterruptIfRunning);
        } catch (UnsupportedOperationException readOnly) {
            // such a stage cannot be cancelled; the lock is kept until it completes
        }
    }
}
