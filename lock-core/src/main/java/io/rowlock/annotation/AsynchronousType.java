package io.rowlock.annotation;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.ReactiveAdapterRegistry;

/** What a return type says about the thread that does the work. */
final class AsynchronousType {
    private static final String WEB = "org.springframework.web.context.request.async";

    private AsynchronousType() {}

    /** @return whether another thread than the caller's may do the work */
    static boolean isAsynchronous(Class<?> returned) {
        return isFuture(returned)
                || Callable.class.isAssignableFrom(returned)
                || returned.getPackageName().equals(WEB)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null;
    }

    /** @return whether another result can stand for the one of the body: a future of a class of its own cannot be replaced */
    static boolean canBeReplaced(Class<?> returned) {
        return !isFuture(returned) || returned.isAssignableFrom(CompletableFuture.class);
    }

    private static boolean isFuture(Class<?> type) {
        return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type);
    }
}
