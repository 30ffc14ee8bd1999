package io.rowlock.interceptor.result;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.OnBusy;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ReactiveAdapterRegistry;

/** What a call returns instead of its body's result when the lock stayed busy. */
public record BusyAnswer(LockOperation operation, MethodInvocation invocation, Class<?> returnType) {
    /** The answer to a wait time that is over; an interrupt is thrown on. */
    @Nullable
    public Object to(LockNotAcquiredException busy) throws Throwable {
        if (busy instanceof LockInterruptedException) {
            throw busy;
        }
        Method fallback = operation.fallback();
        if (fallback != null) {
            return AopUtils.invokeJoinpointUsingReflection(invocation.getThis(), fallback, invocation.getArguments());
        }
        if (operation.onBusy() == OnBusy.SKIP) {
            return SkippedResult.of(returnType, ReactiveAdapterRegistry.getSharedInstance());
        }
        throw busy;
    }
}
