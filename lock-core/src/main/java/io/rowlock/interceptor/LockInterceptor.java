package io.rowlock.interceptor;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.interceptor.GuardedMethod.Kind;
import io.rowlock.leader.LeaderElections;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Acquires the lock of a method, runs it and releases the lock. A method of a role runs if the node leads in it; one that does not acquires no
 * lock. Thread-safe.
 *
 * @param elections know who leads; null where they were asked before
 */
record LockInterceptor(
        GuardedMethods methods,
        Supplier<LockClient> client,
        @Nullable Supplier<LeaderElections> elections,
        TransactionLockAdvice transactions)
        implements MethodInterceptor {
    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        ProxiedMethod annotated = methods.of(call);
        if (annotated.role() != null && elections != null) {
            return led(call, annotated, elections.get().of(annotated.role()).rely());
        }
        GuardedMethod method = annotated.lock();
        if (method == null) {
            return call.proceed();
        }
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

    private @Nullable Object led(MethodInvocation call, ProxiedMethod method, Optional<CommitGuard> leadership)
            throws Throwable {
        if (leadership.isEmpty()) {
            return SkippedResult.of(method.method().getReturnType());
        }
        try (CommitGuard reliance = leadership.get()) {
            Object result = new LockInterceptor(methods, client, null, transactions).invoke(call);
            if (result != null && ResultTypes.isUnseen(result.getClass())) {
                throw new IllegalStateException(
                        "%s returned a %s, whose work is done after the call, on a node that may not lead then"
                                .formatted(call.getMethod(), result.getClass().getTypeName()));
            }
            return result;
        }
    }
}
