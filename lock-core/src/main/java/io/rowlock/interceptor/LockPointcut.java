package io.rowlock.interceptor;

import io.rowlock.annotation.LockOperationSource;
import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches the methods that have a lock. */
final class LockPointcut extends StaticMethodMatcherPointcut {
    private final LockOperationSource operations;

    LockPointcut(LockOperationSource operations) {
        this.operations = operations;
        setClassFilter(operations::isCandidate);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return operations.find(method, targetClass) != null;
    }
}
