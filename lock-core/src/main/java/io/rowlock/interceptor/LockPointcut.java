package io.rowlock.interceptor;

import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.LockOperationSource;
import java.lang.reflect.Method;
import java.util.function.Predicate;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/** Matches the methods that have a lock. */
final class LockPointcut extends StaticMethodMatcherPointcut {
    private final LockOperationSource operations;

    private final Predicate<LockOperation> included;

    LockPointcut(LockOperationSource operations, Predicate<LockOperation> included) {
        this.operations = operations;
        this.included = included;
        setClassFilter(operations::isCandidate);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        LockOperation operation = operations.find(method, targetClass);
        return operation != null && included.test(operation);
    }
}
