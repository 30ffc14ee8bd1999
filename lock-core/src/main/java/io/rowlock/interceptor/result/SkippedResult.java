package io.rowlock.interceptor.result;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** What "nothing" is for a return type. */
public final class SkippedResult {
    private static final Map<Class<?>, Object> EMPTY = Map.of(
            Optional.class, Optional.empty(),
            OptionalInt.class, OptionalInt.empty(),
            OptionalLong.class, OptionalLong.empty(),
            OptionalDouble.class, OptionalDouble.empty());

    private SkippedResult() {}

    public static @Nullable Object of(Class<?> returnType, ReactiveAdapterRegistry reactiveTypes) {
        Object empty = EMPTY.get(returnType);
        if (empty != null) {
            return empty;
        }
        if (returnType == CompletionStage.class || Future.class.isAssignableFrom(returnType)) {
            return returnType.isAssignableFrom(CompletableFuture.class)
                    ? CompletableFuture.completedFuture(null)
                    : null;
        }
        ReactiveAdapter adapter = reactiveTypes.getAdapter(returnType);
        return adapter != null && adapter.supportsEmpty()
                ? adapter.getDescriptor().getEmptyValue()
                : null;
    }
}
