package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.LockOperationSource;
import io.rowlock.interceptor.result.AsyncResults;
import io.rowlock.interceptor.result.BusyAnswer;
import io.rowlock.interceptor.result.LockRelease;
import io.rowlock.interceptor.result.ReactiveGuard;
import io.rowlock.interceptor.result.ReactiveTypes;
import io.rowlock.interceptor.transaction.TransactionGuard;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;

/** Takes the lock of a method, runs it and releases the lock. Thread-safe. */
final class LockInterceptor implements MethodInterceptor {
    private final LockOperationSource operations;
    private final Supplier<LockClient> client;
    private final KeyEvaluator keys;
    private final TransactionGuard transactions;
    private final AsyncResults asyncResults = new AsyncResults();
    private final ReactiveTypes reactiveTypes = new ReactiveTypes();

    LockInterceptor(
            LockOperationSource operations,
            Supplier<LockClient> client,
            KeyEvaluator keys,
            TransactionGuard transactions) {
        this.operations = operations;
        this.client = client;
        this.keys = keys;
        this.transactions = transactions;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "a lock needs a target object");
        Class<?> targetClass = AopUtils.getTargetClass(target);
        LockOperation operation = operations.find(invocation.getMethod(), targetClass);
        if (operation == null) {
            return invocation.proceed();
        }
        Method method = AopUtils.getMostSpecificMethod(invocation.getMethod(), targetClass);
        // the one evaluation of the key: the body may change what it was worked out from
        LockRequest request = operation.request(
                keys.values(operation, new KeyRoot(method, invocation.getArguments(), target, targetClass)));
        // of the class: that of an interface may say less
        Class<?> returnType = method.getReturnType();
        BusyAnswer busy = new BusyAnswer(operation, invocation, returnType);
        if (invocation instanceof ProxyMethodInvocation proxied && TransactionGuard.guards(operation)) {
            return transactions.call(proxied, targetClass, client.get(), request, busy);
        }
        return invocation instanceof ProxyMethodInvocation proxied && reactiveTypes.include(returnType)
                ? reactiveTypes.guard(proxied, returnType, new ReactiveGuard(client.get(), request, busy))
                : call(invocation, request, busy);
    }

    private @Nullable Object call(MethodInvocation invocation, LockRequest request, BusyAnswer busy) throws Throwable {
        HeldLock lock;
        try {
            lock = client.get().acquire(request);
        } catch (LockNotAcquiredException failure) {
            return busy.to(failure);
        }
        LockRelease release = new LockRelease(lock, request.onLost());
        Object result;
        try {
            result = invocation.proceed();
        } catch (Throwable thrown) {
            release.afterThrow(thrown);
            throw thrown;
        }
        return asyncResults.release(release, result, busy.returnType());
    }
}
