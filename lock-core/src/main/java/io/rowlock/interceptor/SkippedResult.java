package io.rowlock.interceptor;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.CollectionFactory;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** Makes the "nothing" of a return type. */
final class SkippedResult {
    private static final Map<Class<?>, Object> EMPTY = Map.of(
            Optional.class, Optional.empty(),
            OptionalInt.class, OptionalInt.empty(),
            OptionalLong.class, OptionalLong.empty(),
            OptionalDouble.class, OptionalDouble.empty());

    private SkippedResult() {}

    /**
     * Refuses a method that cannot be skipped: it would return null although its return type is primitive, or excludes null, by Kotlin or
     * by an annotation such as JSpecify's {@code @NullMarked}.
     *
     * @param when when it would be skipped
     * @throws IllegalArgumentException that tells the type
     */
    static void requireFor(Method method, String when) {
        Class<?> type = method.getReturnType();
        if (type == void.class || type == Void.class) {
            return;
        }
        if (type.isPrimitive()) {
            throw new IllegalArgumentException(
                    "%s there is nothing to return for the primitive type \"%s\"".formatted(when, type));
        }
        if (Nullness.forMethodReturnType(method) == Nullness.NON_NULL && of(type) == null) {
            throw new IllegalArgumentException(
                    "%s it would return null, which the return type %s excludes; use an Optional or a nullable type"
                            .formatted(when, type.getTypeName()));
        }
    }

    static @Nullable Object of(Class<?> returnType) {
        Object empty = EMPTY.get(returnType);
        if (empty != null) {
            return empty;
        }
        if (returnType.isArray()) {
            return Array.newInstance(returnType.getComponentType(), 0);
        }
        if (returnType == CompletionStage.class || Future.class.isAssignableFrom(returnType)) {
            return returnType.isAssignableFrom(CompletableFuture.class)
                    ? CompletableFuture.completedFuture(null)
                    : null;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
        return adapter != null && adapter.supportsEmpty()
                ? adapter.getDescriptor().getEmptyValue()
                : emptyCollection(returnType);
    }

    /** Null for a collection class that cannot be made without arguments, as for every other type. */
    private static @Nullable Object emptyCollection(Class<?> type) {
        try {
            if (type == Iterable.class || Collection.class.isAssignableFrom(type)) {
                return CollectionFactory.createCollection(type == Iterable.class ? Collection.class : type, 0);
            }
            return Map.class.isAssignableFrom(type) ? CollectionFactory.createMap(type, 0) : null;
        } catch (IllegalArgumentException notMade) {
            return null;
        }
    }
}
