package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.interceptor.GuardedMethod.Kind;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** Takes the lock of a method, runs it and releases the lock. Thread-safe. */
record LockInterceptor(GuardedMethods methods, Supplier<LockClient> client, TransactionLockAdvice transactions)
        implements MethodInterceptor {
    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        GuardedMethod method = methods.of(call);
        LockRequest request = method.request(call);
        if (method.kind() != Kind.VALUE && call instanceof ProxyMethodInvocation proxied) {
            return method.kind() == Kind.REACTIVE
                    ? new ReactiveGuard(client.get(), request, method, transactions).around(proxied)
                    : transactions.call(proxied, method, client.get(), request);
        }
        HeldLock lock;
        try {
            lock = transactions.acquire(call, method, client.get(), request);
        } catch (LockNotAcquiredException busy) {
            return method.busyAnswer(call, busy);
        }
        Object result;
        try {
            result = call.proceed();
        } catch (Throwable thrown) {
            request.onLost().afterThrow(lock, thrown);
            throw thrown;
        }
        if (result instanceof CompletionStage<?> stage) {
            return Release.afterStage(lock, request, stage, method.method().getReturnType());
        }
        if (result != null && ResultTypes.isUnseen(result.getClass())) {
            // the declared type, such as Object, did not tell of it
            Release.letExpire(lock, request);
            throw new IllegalStateException("%s returned a %s, %s"
                    .formatted(method.shownAs(), result.getClass().getTypeName(), ResultTypes.REMEDY));
        }
        request.onLost().afterReturn(lock);
        return result;
    }
}
