package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.Printable;
import io.rowlock.client.lock.DetachableLock;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the lock of a call without hiding how its body ended. A lock whose work may go on unseen is not released: it is left to its
 * ttl.
 */
final class Release {
    private static final Logger log = LoggerFactory.getLogger(Release.class);

    private Release() {}

    /**
     * Releases the lock when a stage has completed, on whichever thread that is.
     *
     * @param declared what the method is declared to return
     * @return the stage to give to the caller: the body's own if the declared type leaves no choice
     */
    static <T extends @Nullable Object> CompletionStage<T> afterStage(
            HeldLock lock, LockRequest request, CompletionStage<T> body, Class<?> declared) {
        try {
            return followed(lock, request, body, declared);
        } catch (Throwable error) { // of the body's own stage, or of a full stack
            letExpire(lock, request);
            throw error;
        }
    }

    private static <T extends @Nullable Object> CompletionStage<T> followed(
            HeldLock lock, LockRequest request, CompletionStage<T> body, Class<?> declared) {
        boolean done = isDone(body);
        if (!done) {
            detach(lock);
        }
        GuardedFuture<T> future = new GuardedFuture<>(body);
        body.whenComplete((value, thrown) -> {
            try {
                future.completeAs(value, afterCompletion(lock, request, thrown));
            } catch (Throwable error) { // else the caller would wait for ever
                future.completeAs(value, thrown == null ? error : thrown);
            }
        });
        boolean stays = done && request.onLost() != OnLost.THROW;
        return stays || !declared.isAssignableFrom(CompletableFuture.class) ? body : future;
    }

    private static boolean isDone(CompletionStage<?> stage) {
        try {
            return stage.toCompletableFuture().isDone();
        } catch (UnsupportedOperationException unknown) {
            return false;
        }
    }

    /**
     * Ends the lock of a body that ended on another thread.
     *
     * @param thrown what the body ended with, or null if it ended well
     * @return what the call ends with: the same, or the loss of the lock
     */
    static @Nullable Throwable afterCompletion(HeldLock lock, LockRequest request, @Nullable Throwable thrown) {
        if (mayGoOnAfter(thrown)) {
            letExpire(lock, request);
            return thrown;
        }
        if (thrown != null) {
            request.onLost().afterThrow(lock, thrown);
            return thrown;
        }
        try {
            request.onLost().afterReturn(lock);
            return null;
        } catch (RuntimeException failure) {
            return failure;
        }
    }

    /** Returns true if the work may go on: a cancellation or a timeout ends a future, and not what was to complete it. */
    private static boolean mayGoOnAfter(@Nullable Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof CancellationException || cause instanceof TimeoutException;
    }

    /** Lets the lock expire, not before its minimum is over: nobody sees when the work under it ends. */
    static void letExpire(HeldLock lock, LockRequest request) {
        if (!(lock instanceof DetachableLock detachable)) {
            OnLost.NOTIFY.afterReturn(lock); // a client of another kind has nothing else to offer
            return;
        }
        try {
            detachable.detach();
            if (request.holdAtLeast().compareTo(lock.remaining()) > 0) {
                lock.extend(request.holdAtLeast());
            }
        } catch (RuntimeException failure) {
            log.debug("The lock \"{}\" could not be extended to its minimum", Printable.of(lock.key()), failure);
        } finally { // also after an error, as of a full stack
            detachable.leaveToTtl();
        }
        log.info(
                "The lock \"{}\" is not released but expires after its ttl, because its work may go on: the call was cancelled or timed out, or its result does not tell when it ends",
                Printable.of(lock.key()));
    }

    /** Detaches the lock from the calling thread: its body ends on another one. */
    static void detach(HeldLock lock) {
        if (lock instanceof DetachableLock detachable) {
            detachable.detach();
        }
    }

    /** Completes as the body's stage did, after the lock was released; cancelling it cancels that stage. */
    private static final class GuardedFuture<T extends @Nullable Object> extends CompletableFuture<T> {
        private final CompletionStage<T> body;

        GuardedFuture(CompletionStage<T> body) {
            this.body = body;
        }

        // the exception goes on as it came: what get() and join() wrap or unwrap is then the same as for the body's
        // stage
        void completeAs(T value, @Nullable Throwable thrown) {
            if (thrown == null) {
                complete(value);
            } else {
                completeExceptionally(thrown);
            }
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            try {
                if (!isDone()) {
                    body.toCompletableFuture().cancel(mayInterruptIfRunning);
                }
            } catch (UnsupportedOperationException readOnly) {
                // such a stage cannot be cancelled; the lock is kept until it completes
            }
            return super.cancel(mayInterruptIfRunning);
        }
    }
}
