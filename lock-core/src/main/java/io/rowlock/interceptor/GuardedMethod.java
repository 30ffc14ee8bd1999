package io.rowlock.interceptor;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.annotation.OnBusy;
import io.rowlock.store.TransactionLocks;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * A method that acquires a lock: what its annotation says, with placeholders resolved, and all that can be decided before it is called.
 *
 * @param method the method of the class: that of an interface may say less
 * @param annotatedItself whether the annotation is one of the method, and not of its class
 * @param name the literal part of the lock key, or null if there is none
 * @param key works out the whole keys of a call, or null if the name is the key
 * @param sample a request as a call would make it, for checks ahead of the first call: with the shortest possible key value
 * @param onBusy what to do when the wait time is over
 * @param fallback the method to call then, or null for none
 * @param oncePerCluster whether no other method may have a lock of this name
 */
record GuardedMethod(
        Class<?> beanClass,
        Method method,
        boolean annotatedItself,
        Kind kind,
        @Nullable String name,
        @Nullable KeyExpression key,
        LockRequest sample,
        OnBusy onBusy,
        @Nullable Method fallback,
        boolean oncePerCluster) {

    /** The time at which the lock ends. */
    enum Kind {
        /** With the call, or with the future that it returns. */
        VALUE,
        /** With each subscription to what the call returns. */
        REACTIVE,
        /** With the transaction that it is part of. */
        TRANSACTION;

        static Kind of(LockRequest request, Method method) {
            if (TransactionLocks.STRATEGY.equals(request.strategy())) {
                return TRANSACTION;
            }
            return ResultTypes.isGuardableReactive(method.getReturnType()) ? REACTIVE : VALUE;
        }
    }

    /** Returns the request of a call. To be asked once for each: the body may change what the key was worked out from. */
    LockRequest request(MethodInvocation call) {
        if (key == null) {
            return sample;
        }
        List<String> keys = key.of(call.getArguments(), call.getThis());
        return new LockRequest(
                keys,
                sample.mode(),
                sample.ttl(),
                sample.waitTime(),
                null,
                sample.strategy(),
                sample.holdAtLeast(),
                nameOf(name, keys),
                sample.onLost(),
                sample.permits());
    }

    /** Returns what a lock of these keys is called. */
    static String nameOf(@Nullable String name, List<String> keys) {
        return name == null ? LockRequest.exclusive(keys).name() : name;
    }

    /** Returns what a call returns instead of its body's result when the wait time for the lock is over; an interrupt is thrown on. */
    @Nullable
    Object busyAnswer(MethodInvocation call, LockNotAcquiredException busy) throws Throwable {
        if (busy instanceof LockInterruptedException) {
            throw busy;
        }
        if (fallback != null) {
            return called(fallback, call);
        }
        if (onBusy == OnBusy.SKIP) {
            return SkippedResult.of(method.getReturnType());
        }
        throw busy;
    }

    /** Calls the fallback through the proxy if that has the method, so that its own advice applies, as a transaction. */
    private @Nullable Object called(Method fallback, MethodInvocation call) throws Throwable {
        Object proxy = call instanceof ProxyMethodInvocation proxied ? proxied.getProxy() : null;
        Method onProxy = AopUtils.isJdkDynamicProxy(proxy)
                ? ClassUtils.getInterfaceMethodIfPossible(fallback, beanClass)
                : fallback;
        int modifiers = fallback.getModifiers();
        boolean advised = onProxy.getDeclaringClass().isInstance(proxy)
                && (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                && (modifiers & (Modifier.FINAL | Modifier.STATIC)) == 0;
        return advised
                ? AopUtils.invokeJoinpointUsingReflection(proxy, onProxy, call.getArguments())
                : AopUtils.invokeJoinpointUsingReflection(call.getThis(), fallback, call.getArguments());
    }

    /** Returns the method as it is written, with its class. */
    String shownAs() {
        return beanClass.getName() + "." + method.getName();
    }
}
