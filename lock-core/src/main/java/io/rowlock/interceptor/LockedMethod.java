package io.rowlock.interceptor;

import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.LockOperationSource;
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
}
