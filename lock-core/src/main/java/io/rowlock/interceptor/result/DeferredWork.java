package io.rowlock.interceptor.result;

import io.rowlock.Printable;
import io.rowlock.store.DaemonThreads;
import java.lang.ref.Cleaner;
import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Results whose work is done after the method has returned. A {@link Callable} keeps the lock until it was called; types whose
 * end cannot be seen are refused at start-up.
 */
public final class DeferredWork {
    private static final Logger log = LoggerFactory.getLogger(DeferredWork.class);
    private static final Cleaner CLEANER = Cleaner.create(DaemonThreads.named("rowlock-callables"));
    private static final String EMITTER = "org.springframework.web.servlet.mvc.method.annotation.";

    private DeferredWork() {}

    /**
     * The type in what a method returns whose work is done later and cannot be kept under its lock: the return type itself, or
     * one of its type arguments, as in a {@code ResponseEntity<StreamingResponseBody>}.
     *
     * @param method the guarded method
     * @return the type, or null if there is none
     */
    public static @Nullable Class<?> unguardable(Method method) {
        ResolvableType returned = ResolvableType.forMethodReturnType(method);
        return isOwnCallable(returned.toClass()) ? returned.toClass() : unguardable(returned);
    }

    private static @Nullable Class<?> unguardable(ResolvableType type) {
        if (isUnguardable(type.toClass())) {
            return type.toClass();
        }
        return Stream.of(type.getGenerics())
                .<Class<?>>mapMulti((argument, found) -> {
                    Class<?> inside = unguardable(argument);
                    if (inside != null) {
                        found.accept(inside);
                    }
                })
                .findFirst()
                .orElse(null);
    }

    /** A class that is a callable cannot be replaced by one that releases the lock. */
    private static boolean isOwnCallable(Class<?> type) {
        return Callable.class.isAssignableFrom(type) && type != Callable.class && !Future.class.isAssignableFrom(type);
    }

    private static boolean isUnguardable(Class<?> returnType) {
        return BaseStream.class.isAssignableFrom(returnType)
                || Iterator.class.isAssignableFrom(returnType)
                || Spliterator.class.isAssignableFrom(returnType)
                || Stream.of("ResponseBodyEmitter", "StreamingResponseBody")
                        .anyMatch(name -> isA(returnType, EMITTER + name));
    }

    private static boolean isA(Class<?> type, String name) {
        ClassLoader loader = type.getClassLoader();
        return loader != null
                && ClassUtils.isPresent(name, loader)
                && ClassUtils.resolveClassName(name, loader).isAssignableFrom(type);
    }

    /** The callable to give to the caller instead: the lock is released when its call has ended, however often it is called. */
    static <V extends @Nullable Object> Callable<V> releasing(Callable<V> body, LockRelease lock) {
        Once release = new Once(lock);
        Callable<V> guarded = new Releasing<>(body, release);
        CLEANER.register(guarded, release::abandoned);
        return guarded;
    }

    private record Releasing<V extends @Nullable Object>(Callable<V> body, Once release) implements Callable<V> {
        @Override
        public V call() throws Exception {
            V result;
            try {
                result = body.call();
            } catch (Throwable thrown) {
                release.afterThrow(thrown);
                throw thrown;
            }
            release.afterReturn();
            return result;
        }
    }

    /** Refers to the lock and not to the callable, so that the callable can be collected. */
    private static final class Once {
        private final LockRelease lock;
        private final AtomicBoolean done = new AtomicBoolean();

        Once(LockRelease lock) {
            this.lock = lock;
        }

        void afterReturn() {
            if (done.compareAndSet(false, true)) {
                lock.afterReturn();
            }
        }

        void afterThrow(Throwable thrown) {
            if (done.compareAndSet(false, true)) {
                lock.afterThrow(thrown);
            }
        }

        void abandoned() {
            if (done.compareAndSet(false, true)) {
                log.warn(
                        "The lock \"{}\" is released, because the Callable it was taken for was never called",
                        Printable.of(lock.lock().key()));
                lock.close();
            }
        }
    }
}
