package io.rowlock.interceptor;

import io.rowlock.client.CommitGuard;
import io.rowlock.interceptor.result.SkippedResult;
import io.rowlock.leader.LeaderElections;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ReactiveAdapterRegistry;

/** Runs a method if the node leads, and skips it otherwise. Thread-safe. */
final class LeaderInterceptor implements MethodInterceptor {
    private final LeaderMethods methods;
    private final Supplier<LeaderElections> elections;

    LeaderInterceptor(LeaderMethods methods, Supplier<LeaderElections> elections) {
        this.methods = methods;
        this.elections = elections;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "a leader's method needs a target object");
        Class<?> targetClass = AopUtils.getTargetClass(target);
        String role = methods.role(invocation.getMethod(), targetClass);
        if (role == null) {
            return invocation.proceed();
        }
        Optional<CommitGuard> leadership = elections.get().of(role).rely();
        if (leadership.isEmpty()) {
            Class<?> returnType = AopUtils.getMostSpecificMethod(invocation.getMethod(), targetClass)
                    .getReturnType();
            return SkippedResult.of(returnType, ReactiveAdapterRegistry.getSharedInstance());
        }
        try {
            return invocation.proceed();
        } finally {
            leadership.get().close();
        }
    }
}
