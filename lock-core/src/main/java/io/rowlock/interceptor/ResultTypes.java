package io.rowlock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Tells results that a lock can be kept for from those whose work is done after the method has returned, with an end that nobody sees. */
final class ResultTypes {
    static final String REMEDY =
            "whose work is done after the lock was released; return CompletableFuture, or a collection in place of a stream or an iterator";

    private static final boolean REACTOR_PRESENT =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ResultTypes.class.getClassLoader());
    /** Known by name, since they need not be there. Reactor alone does not know those of Kotlin. */
    private static final String[] NAMED = {
        "org.springframework.web.context.request.async.DeferredResult",
        "org.springframework.web.context.request.async.WebAsyncTask",
        "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
        "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
        "kotlin.sequences.Sequence",
        "kotlinx.coroutines.Job",
        "kotlinx.coroutines.flow.Flow",
        "org.reactivestreams.Publisher"
    };

    private static final List<Class<?>> OF_JAVA = List.of(
            Future.class, Callable.class, Flow.Publisher.class, BaseStream.class, Iterator.class, Spliterator.class);

    /** Decided once for each class, since every call asks. */
    private static final ClassValue<Boolean> UNSEEN = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return type.isArray()
                    ? isLater(type.componentType())
                    : !CompletionStage.class.isAssignableFrom(type)
                            && (reactive(type) != null
                                    || OF_JAVA.stream().anyMatch(each -> each.isAssignableFrom(type))
                                    || Stream.of(NAMED).anyMatch(name -> isA(type, name)));
        }
    };

    private ResultTypes() {}

    /** Returns the adapter of a type that does nothing until it is subscribed to, or null for all others. Futures run without a subscriber. */
    static @Nullable ReactiveAdapter reactive(Class<?> type) {
        boolean future = CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type);
        return future ? null : ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }

    /** Returns true if another thread than the caller's may do the work. */
    static boolean isAsynchronous(Class<?> type) {
        return CompletionStage.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
    }

    /** Returns true if another result can stand for the one of the body: a future of a class of its own cannot be replaced. */
    static boolean canBeReplaced(Class<?> type) {
        return !CompletionStage.class.isAssignableFrom(type) || type.isAssignableFrom(CompletableFuture.class);
    }

    /** Returns true if a lock can be acquired at each subscription to such a result. */
    static boolean isGuardableReactive(Class<?> type) {
        return REACTOR_PRESENT && reactive(type) != null;
    }

    /** Returns true if a call that returns such an object does not tell when the work for it ends. */
    static boolean isUnseen(Class<?> type) {
        return UNSEEN.get(type);
    }

    /** Returns true if the work for such an object, inside of another one, may be done after the call. */
    private static boolean isLater(Class<?> type) {
        return isUnseen(type) || CompletionStage.class.isAssignableFrom(type);
    }

    /**
     * Returns the type in what a method is declared to return that no lock can be kept for: the return type itself, or what an array or
     * a type argument has inside, as in a {@code ResponseEntity<StreamingResponseBody>} or a {@code CompletableFuture<String>[]}.
     *
     * @param beanClass tells the type arguments of a method that it inherits
     */
    static @Nullable Class<?> unseenIn(Method method, Class<?> beanClass) {
        return isGuardableReactive(method.getReturnType())
                ? unseenInside(ResolvableType.forMethodReturnType(method, beanClass), new HashSet<>())
                : laterIn(method, beanClass);
    }

    /** Returns the type in what a method is declared to return whose work is done after the call, even if its end can be seen. */
    static @Nullable Class<?> laterIn(Method method, Class<?> beanClass) {
        ResolvableType returned = ResolvableType.forMethodReturnType(method, beanClass);
        Class<?> type = returned.toClass();
        return isUnseen(type) ? type : unseenInside(returned, new HashSet<>());
    }

    /** @param seen ends the walk of what is inside of itself, as {@code T extends Comparable<T>} is */
    private static @Nullable Class<?> unseenInside(ResolvableType type, Set<Type> seen) {
        ResolvableType[] all = type.isArray() ? new ResolvableType[] {type.getComponentType()} : type.getGenerics();
        for (ResolvableType each : seen.add(type.getType()) ? all : new ResolvableType[0]) {
            Class<?> inside = each.toClass();
            Class<?> later = isLater(inside) ? inside : unseenInside(each, seen);
            if (later != null) {
                return later;
            }
        }
        return null;
    }

    private static boolean isA(Class<?> type, String name) {
        ClassLoader loader = type.getClassLoader();
        return loader != null
                && ClassUtils.isPresent(name, loader)
                && ClassUtils.resolveClassName(name, loader).isAssignableFrom(type);
    }
}
