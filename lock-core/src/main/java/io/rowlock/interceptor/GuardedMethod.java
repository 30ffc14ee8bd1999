package io.rowlock.interceptor;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OnBusy;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * A method that takes a lock, with all that can be decided before it is called.
 *
 * @param method the method of the class: that of an interface may say less
 * @param operation what its annotation says
 * @param requests makes the request of a call
 */
record GuardedMethod(
        Class<?> beanClass,
        Method method,
        LockOperation operation,
        Kind kind,
        Function<MethodInvocation, LockRequest> requests) {

    /** Of dynamic-datasource, whose synchronizations cannot roll back: what they throw leaves the transaction open on its thread. */
    private static final String DS_TRANSACTIONAL = "com.baomidou.dynamic.datasource.annotation.DSTransactional";

    /** The time at which the lock ends. */
    enum Kind {
        /** With the call, or with the future that it returns. */
        VALUE,
        /** With each subscription to what the call returns. */
        REACTIVE,
        /** With the transaction that it is part of. */
        TRANSACTION
    }

    /** Returns the request of a call. To be asked once for each: the body may change what the key was worked out from. */
    LockRequest request(MethodInvocation call) {
        return requests.apply(call);
    }

    Class<?> returnType() {
        return method.getReturnType();
    }

    /** Returns what a call returns instead of its body's result when the wait time for the lock is over; an interrupt is thrown on. */
    @Nullable
    Object busyAnswer(MethodInvocation call, LockNotAcquiredException busy) throws Throwable {
        if (busy instanceof LockInterruptedException) {
            throw busy;
        }
        Method fallback = operation.fallback();
        if (fallback != null) {
            return AopUtils.invokeJoinpointUsingReflection(call.getThis(), fallback, call.getArguments());
        }
        if (operation.onBusy() == OnBusy.SKIP) {
            return SkippedResult.of(returnType());
        }
        throw busy;
    }

    void rejectUnlessGuardable() {
        Class<?> unseen = ResultTypes.unseenIn(method);
        if (unseen != null) {
            throw refused("it returns a %s, %s".formatted(unseen.getTypeName(), ResultTypes.REMEDY));
        }
        if (isDsTransactional(method) || isDsTransactional(beanClass)) {
            throw refused("it is @DSTransactional, which commits though the lock is lost; use @Transactional");
        }
        if (operation.onBusy() == OnBusy.SKIP && SkippedResult.isForbiddenNull(method)) {
            throw refused(
                    "onBusy = SKIP would return null, which the return type %s excludes; use an Optional or a nullable type"
                            .formatted(returnType().getTypeName()));
        }
    }

    private static boolean isDsTransactional(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(DS_TRANSACTIONAL);
    }

    InvalidLockAnnotationException refused(String problem) {
        return new InvalidLockAnnotationException(beanClass, method, problem, null);
    }

    /** Returns the method as it is written, with its class. */
    String shownAs() {
        return beanClass.getName() + "." + method.getName();
    }
}
