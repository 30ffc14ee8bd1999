package io.rowlock.interceptor;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OnBusy;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * A method that takes a lock, with all that can be decided before it is called.
 *
 * @param method the method of the class: that of an interface may say less
 * @param annotatedItself whether the annotation is one of the method, and not of its class
 * @param operation what its annotation says
 * @param requests makes the request of a call
 */
record GuardedMethod(
        Class<?> beanClass,
        Method method,
        boolean annotatedItself,
        LockOperation operation,
        Kind kind,
        Function<MethodInvocation, LockRequest> requests) {

    /** The time at which the lock ends. */
    enum Kind {
        /** With the call, or with the future that it returns. */
        VALUE,
        /** With each subscription to what the call returns. */
        REACTIVE,
        /** With the transaction that it is part of. */
        TRANSACTION;

        static Kind of(LockOperation operation, Method method) {
            if (TransactionLockAdvice.guards(operation)) {
                return TRANSACTION;
            }
            return ResultTypes.isGuardableReactive(method.getReturnType()) ? REACTIVE : VALUE;
        }
    }

    /** Returns the request of a call. To be asked once for each: the body may change what the key was worked out from. */
    LockRequest request(MethodInvocation call) {
        return requests.apply(call);
    }

    /** Returns what a call returns instead of its body's result when the wait time for the lock is over; an interrupt is thrown on. */
    @Nullable
    Object busyAnswer(MethodInvocation call, LockNotAcquiredException busy) throws Throwable {
        if (busy instanceof LockInterruptedException) {
            throw busy;
        }
        Method fallback = operation.fallback();
        if (fallback != null) {
            return called(fallback, call);
        }
        if (operation.onBusy() == OnBusy.SKIP) {
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

    InvalidLockAnnotationException refused(String problem, @Nullable String remedy, @Nullable Throwable cause) {
        return new InvalidLockAnnotationException(beanClass, method, problem, remedy, cause);
    }

    /** Returns the method as it is written, with its class. */
    String shownAs() {
        return beanClass.getName() + "." + method.getName();
    }

    /**
     * Holds what the lock annotation of one method says, with its placeholders resolved.
     *
     * @param annotated the method whose parameter names the key expression uses: the one that carries the annotation
     * @param name the literal part of the lock key, or null if there is none
     * @param key the SpEL expression of the other part, or null if there is none
     * @param sample a request as a call would make it, for checks ahead of the first call: with the shortest possible key value
     * @param onBusy what to do when the wait time is over
     * @param fallback the method to call then, or null for none
     * @param beginTransaction whether a transaction is begun if none is open
     * @param oncePerCluster whether no other method may have a lock of this name
     */
    record LockOperation(
            Method annotated,
            @Nullable String name,
            @Nullable String key,
            LockRequest sample,
            OnBusy onBusy,
            @Nullable Method fallback,
            boolean beginTransaction,
            boolean oncePerCluster) {

        LockOperation {
            if (fallback != null && onBusy == OnBusy.SKIP) {
                throw new IllegalArgumentException(
                        "it has both onBusy = SKIP and the fallback \"%s\"; only one can apply"
                                .formatted(fallback.getName()));
            }
        }

        /**
         * The request of one call.
         *
         * @param values what the key expression yielded
         * @return the request
         * @throws IllegalArgumentException if a key is too long
         */
        LockRequest request(List<String> values) {
            List<String> keys = keys(name, values);
            String called = name == null ? LockRequest.exclusive(keys).name() : name;
            return new LockRequest(
                    keys,
                    sample.mode(),
                    sample.ttl(),
                    sample.waitTime(),
                    null,
                    sample.strategy(),
                    sample.holdAtLeast(),
                    called,
                    sample.onLost(),
                    sample.permits());
        }

        static List<String> keys(@Nullable String name, List<String> values) {
            return name == null
                    ? values
                    : values.stream().map(value -> name + ":" + value).toList();
        }
    }
}
