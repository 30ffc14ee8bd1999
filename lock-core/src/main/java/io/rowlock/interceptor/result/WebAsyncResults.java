package io.rowlock.interceptor.result;

import io.rowlock.OnLost;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * Keeps a lock until the asynchronous part of a web request has ended. Spring MVC tells so, to interceptors of the request at
 * hand. Loads no class of Spring's web module unless it is there.
 */
final class WebAsyncResults {
    private static final boolean WEB_PRESENT = ClassUtils.isPresent(
            "org.springframework.web.context.request.async.WebAsyncManager", WebAsyncResults.class.getClassLoader());

    private WebAsyncResults() {}

    static boolean include(@Nullable Object result) {
        return WEB_PRESENT && Web.includes(result);
    }

    /**
     * Releases the lock when the result has come to its end.
     *
     * @throws IllegalStateException if no web request is handled by the calling thread, so that the end could not be seen
     */
    static void releaseAfter(Object result, LockRelease lock) {
        Web.releaseAfter(result, lock);
    }

    private static final class Web {
        static boolean includes(@Nullable Object result) {
            return result instanceof DeferredResult<?> || result instanceof WebAsyncTask<?>;
        }

        static void releaseAfter(Object result, LockRelease lock) {
            WebAsyncManager manager = manager(result);
            if (result instanceof DeferredResult<?>) {
                manager.registerDeferredResultInterceptor(lock.lock(), new DeferredEnd(lock));
            } else {
                manager.registerCallableInterceptor(lock.lock(), new TaskEnd(lock));
            }
        }

        private static WebAsyncManager manager(Object result) {
            RequestAttributes request = RequestContextHolder.getRequestAttributes();
            Object manager = request == null
                    ? null
                    : request.getAttribute(WebAsyncUtils.WEB_ASYNC_MANAGER_ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
            if (manager instanceof WebAsyncManager found) {
                return found;
            }
            throw new IllegalStateException(
                    "A %s keeps its lock until the web request it belongs to has ended, but this thread handles no web request; return a CompletableFuture instead"
                            .formatted(result.getClass().getSimpleName()));
        }
    }

    private record DeferredEnd(LockRelease lock) implements DeferredResultProcessingInterceptor {
        /** The work has ended, and an exception from here becomes its result. */
        @Override
        public <T> void postProcess(NativeWebRequest request, DeferredResult<T> result, @Nullable Object value) {
            if (lock.onLost() == OnLost.THROW && !(value instanceof Throwable)) {
                lock.afterReturn();
            }
        }

        @Override
        public <T> void afterCompletion(NativeWebRequest request, DeferredResult<T> result) {
            lock.close();
        }
    }

    /** A request that timed out ends before its task does, so what has begun counts, and the request only if nothing has. */
    private record TaskEnd(LockRelease lock, AtomicBoolean begun) implements CallableProcessingInterceptor {
        TaskEnd(LockRelease lock) {
            this(lock, new AtomicBoolean());
        }

        @Override
        public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
            begun.set(true);
        }

        @Override
        public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
            if (result instanceof Throwable thrown) {
                lock.afterThrow(thrown);
            } else {
                lock.afterReturn();
            }
        }

        @Override
        public <T> void afterCompletion(NativeWebRequest request, Callable<T> task) {
            if (!begun.get()) {
                lock.close();
            }
        }
    }
}
