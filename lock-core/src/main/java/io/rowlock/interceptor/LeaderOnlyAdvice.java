package io.rowlock.interceptor;

import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.leader.LeaderRole;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.StringValueResolver;

/** Knows the roles of {@link LeaderOnly} methods, runs these if the node leads in theirs, and skips them otherwise. Thread-safe. */
final class LeaderOnlyAdvice extends AnnotatedMethods<String> implements MethodInterceptor {
    private final StringValueResolver placeholders;
    private final Supplier<LeaderElections> elections;

    /** @param placeholders resolves the ${…} of roles */
    LeaderOnlyAdvice(StringValueResolver placeholders, Supplier<LeaderElections> elections) {
        this.placeholders = placeholders;
        this.elections = elections;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Optional<CommitGuard> leadership = elections.get().of(of(call)).rely();
        if (leadership.isEmpty()) {
            Method method = AopUtils.getMostSpecificMethod(call.getMethod(), targetClass(call));
            return SkippedResult.of(method.getReturnType());
        }
        try (CommitGuard reliance = leadership.get()) {
            Object result = call.proceed();
            if (result != null && ResultTypes.isUnseen(result.getClass())) {
                throw new IllegalStateException(
                        "%s returned a %s, whose work is done after the call, on a node that may not lead then"
                                .formatted(call.getMethod(), result.getClass().getTypeName()));
            }
            return result;
        }
    }

    @Override
    @Nullable
    String decide(Method method, Class<?> beanClass) {
        MergedAnnotation<LeaderOnly> annotation =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
        if (!annotation.isPresent()) {
            return null;
        }
        rejectWhatCannotBeSkipped(method, beanClass);
        String role = resolved(placeholders, "the role", annotation.getString(MergedAnnotation.VALUE));
        return LeaderRole.named(role == null ? "" : role).name();
    }

    private static void rejectWhatCannotBeSkipped(Method method, Class<?> beanClass) {
        SkippedResult.requireFor(method, "on a node that does not lead");
        Class<?> later = ResultTypes.laterIn(method, beanClass);
        if (later != null || KotlinDetector.isSuspendingFunction(method)) {
            throw new IllegalArgumentException(
                    "its work is done after the call, by the %s that it returns; ask LeaderElection.isLeader() there"
                            .formatted(later == null ? "continuation" : later.getTypeName()));
        }
    }
}
