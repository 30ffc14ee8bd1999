package io.rowlock.interceptor.transaction;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Inside the advice of {@code @Transactional}: takes the lock before anything else runs in the transaction. Thread-safe. */
public final class FirstLockInterceptor implements MethodInterceptor {
    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        FirstLock first = invocation instanceof ProxyMethodInvocation call ? FirstLock.of(call) : null;
        if (first != null) {
            first.take();
        }
        return invocation.proceed();
    }
}
