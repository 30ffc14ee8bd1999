package io.rowlock.interceptor;

import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OncePerCluster;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The methods that run {@link OncePerCluster}, by the name of their lock: two of one name would skip each other. Thread-safe. */
final class JobNames {
    private final Map<String, LockedMethod> byName = new ConcurrentHashMap<>();

    /** @throws InvalidLockAnnotationException if another method has the name of one of them */
    void add(List<LockedMethod> methods) {
        methods.stream().filter(method -> method.operation().oncePerCluster()).forEach(this::add);
    }

    private void add(LockedMethod method) {
        String name = String.valueOf(method.operation().name());
        LockedMethod present = byName.putIfAbsent(name, method);
        if (present != null && !present.equals(method)) {
            throw method.refused(
                    "its lock has the name \"%s\", as that of %s.%s has, so each would skip the other; give one of them a name of its own"
                            .formatted(
                                    name,
                                    present.guarded().beanClass().getName(),
                                    present.guarded().method().getName()));
        }
    }
}
