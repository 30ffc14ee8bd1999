package io.rowlock.interceptor;

import io.rowlock.annotation.AnnotatedTypes;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.leader.LeaderRole;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/** Matches the {@link LeaderOnly} methods, runs them if the node leads in their role, and skips them otherwise. Thread-safe. */
final class LeaderOnlyAdvice extends StaticMethodMatcherPointcut implements MethodInterceptor {
    private final Map<MethodClassKey, Optional<String>> cache = new ConcurrentHashMap<>();
    private final StringValueResolver placeholders;
    private final Supplier<LeaderElections> elections;

    /** @param placeholders resolves the ${…} of roles */
    LeaderOnlyAdvice(StringValueResolver placeholders, Supplier<LeaderElections> elections) {
        this.placeholders = placeholders;
        this.elections = elections;
        setClassFilter(AnnotatedTypes::contain);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Class<?> targetClass = GuardedMethods.targetClass(call);
        String role = role(call.getMethod(), targetClass);
        if (role == null) {
            throw GuardedMethods.notFound(call);
        }
        Optional<CommitGuard> leadership = elections.get().of(role).rely();
        if (leadership.isEmpty()) {
            Class<?> returnType = AopUtils.getMostSpecificMethod(call.getMethod(), targetClass)
                    .getReturnType();
            return SkippedResult.of(returnType);
        }
        try {
            Object result = call.proceed();
            if (result != null && ResultTypes.isUnseen(result.getClass())) {
                throw new IllegalStateException(
                        "%s returned a %s, whose work is done after the call, on a node that may not lead then"
                                .formatted(call.getMethod(), result.getClass().getTypeName()));
            }
            return result;
        } finally {
            leadership.get().close();
        }
    }

    /** Returns the methods of a class that only a leader runs. */
    List<ProxiedMethod> in(Class<?> beanClass) {
        return !AnnotatedTypes.contain(beanClass)
                ? List.of()
                : ProxiedMethod.candidates(beanClass).stream()
                        .filter(method -> matches(method, beanClass))
                        .map(method -> new ProxiedMethod(beanClass, method, true, "run on every node"))
                        .toList();
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
                    beanClass, specific, "@LeaderOnly is not valid: " + failure.getMessage(), null, failure);
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
        SkippedResult.requireFor(method, "on a node that does not lead");
        Class<?> later = ResultTypes.laterIn(method);
        if (later != null || KotlinDetector.isSuspendingFunction(method)) {
            throw new IllegalArgumentException(
                    "its work is done after the call, by the %s that it returns; ask LeaderElection.isLeader() there"
                            .formatted(later == null ? "continuation" : later.getTypeName()));
        }
    }
}
