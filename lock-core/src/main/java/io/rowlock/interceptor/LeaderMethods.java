package io.rowlock.interceptor;

import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.leader.LeaderRole;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/** Knows the role of every {@link LeaderOnly} method, and matches these methods. Thread-safe. */
final class LeaderMethods extends StaticMethodMatcherPointcut {
    private final Map<MethodClassKey, Optional<String>> cache = new ConcurrentHashMap<>();
    private final StringValueResolver placeholders;

    /** @param placeholders resolves the ${…} of roles */
    LeaderMethods(StringValueResolver placeholders) {
        this.placeholders = placeholders;
        setClassFilter(LeaderMethods::isCandidate);
    }

    /** Whether methods of a class can be for leaders at all; false is cheap and final. */
    static boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, LeaderOnly.class);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return role(method, targetClass) != null;
    }

    /**
     * @return the role whose leader runs the method, or null if every node does
     * @throws InvalidLockAnnotationException if the annotation cannot work there
     */
    @Nullable
    String role(Method method, Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass);
        return cache.computeIfAbsent(
                        new MethodClassKey(method, beanClass), key -> Optional.ofNullable(parse(method, beanClass)))
                .orElse(null);
    }

    private @Nullable String parse(Method method, Class<?> beanClass) {
        if (method.getDeclaringClass() == Object.class) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, beanClass);
        MergedAnnotation<LeaderOnly> annotation =
                MergedAnnotations.from(specific, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
        if (!annotation.isPresent()) {
            return null;
        }
        try {
            rejectWhatCannotBeSkipped(specific);
            return roleOf(annotation);
        } catch (IllegalArgumentException failure) {
            throw new InvalidLockAnnotationException(
                    beanClass, specific, "@LeaderOnly is not valid: " + failure.getMessage(), failure);
        }
    }

    private String roleOf(MergedAnnotation<LeaderOnly> annotation) {
        String role = placeholders.resolveStringValue(annotation.getString(MergedAnnotation.VALUE));
        if (role == null || role.contains("${")) {
            throw new IllegalArgumentException(
                    "the role \"%s\" has a placeholder that is not resolved".formatted(role));
        }
        return LeaderRole.named(role.strip()).name();
    }

    private static void rejectWhatCannotBeSkipped(Method method) {
        Class<?> returned = method.getReturnType();
        if (returned.isPrimitive() && returned != void.class) {
            throw new IllegalArgumentException(
                    "on a node that does not lead there is nothing to return for the primitive type \"%s\""
                            .formatted(returned));
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned);
        if (KotlinDetector.isSuspendingFunction(method) || (adapter != null && isSubscribedTo(adapter))) {
            throw new IllegalArgumentException(
                    "it runs when it is subscribed to, not when it is called; ask LeaderElection.isLeader() there");
        }
    }

    private static boolean isSubscribedTo(ReactiveAdapter adapter) {
        return adapter.getDescriptor().isDeferred();
    }
}
