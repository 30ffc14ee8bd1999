package io.rowlock.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.core.ReactiveAdapterRegistry;

/** Tells from a return type which thread does the work. */
final class AsynchronousType {
    private AsynchronousType() {}

    /** Returns true if another thread than the caller's may do the work. */
    static boolean isAsynchronous(Class<?> returned) {
        return isFuture(returned) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null;
    }

    /** Returns true if another result can stand for the one of the body: a future of a class of its own cannot be replaced. */
    static boolean canBeReplaced(Class<?> returned) {
        return !isFuture(returned) || returned.isAssignableFrom(CompletableFuture.class);
    }

    private static boolean isFuture(Class<?> type) {
        return CompletionStage.class.isAssignableFrom(type);
    }
}
