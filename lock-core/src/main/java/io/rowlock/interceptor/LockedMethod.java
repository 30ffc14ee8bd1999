package io.rowlock.interceptor;

import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.LockOperationSource;
import io.rowlock.annotation.OnBusy;
import io.rowlock.interceptor.result.DeferredWork;
import io.rowlock.interceptor.result.SkippedResult;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/** A method of a bean that has a lock. */
record LockedMethod(GuardedMethod guarded, LockOperation operation) {
    static List<LockedMethod> of(Class<?> beanClass, LockOperationSource operations) {
        List<LockedMethod> methods = new ArrayList<>();
        for (Method method : GuardedMethod.candidates(beanClass)) {
            LockOperation operation = operations.find(method, beanClass);
            if (operation != null) {
                boolean itself = operations.isDeclaredOnMethod(method, beanClass);
                var guarded = new GuardedMethod(beanClass, method, itself, "run without its lock");
                methods.add(new LockedMethod(guarded, operation));
            }
        }
        return List.copyOf(methods);
    }

    void rejectUnlessGuardable() {
        guarded.rejectUnlessProxyable();
        Method method = guarded.method();
        String returned = method.getReturnType().getTypeName();
        Class<?> deferred = DeferredWork.unguardable(method);
        if (deferred != null) {
            throw refused(
                    "it returns a %s, whose work is done after the lock was released; return a collection, a future or a Callable"
                            .formatted(deferred.getTypeName()));
        }
        if (operation.onBusy() == OnBusy.SKIP && SkippedResult.isForbiddenNull(method)) {
            throw refused(
                    "onBusy = SKIP would return null, which the return type %s excludes; use an Optional or a nullable type"
                            .formatted(returned));
        }
    }

    InvalidLockAnnotationException refused(String problem) {
        return new InvalidLockAnnotationException(guarded.beanClass(), guarded.method(), problem, null);
    }
}
