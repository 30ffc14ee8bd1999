package io.rowlock.interceptor;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.util.ClassUtils;

/**
 * Gives calls of woven methods to the advice that proxies have. An aspect serves all applications of its class loader, so each of them
 * is noted here from its start to its end. Thread-safe.
 */
public final class WovenLocks implements DisposableBean, AopInfrastructureBean {
    /** False if nothing can be woven, so that proxies need not tell the aspect what they guard. */
    static final boolean ASPECT_PRESENT =
            ClassUtils.isPresent("io.rowlock.aspects.LockAspect", WovenLocks.class.getClassLoader());

    static final List<WovenLocks> RUNNING = new CopyOnWriteArrayList<>();

    /** The call of this thread that a proxy guards, until it reaches its method. */
    private static final ThreadLocal<@Nullable Guarded> GUARDED = new ThreadLocal<>();

    private final @Nullable LockInterceptor advice;
    private final Set<Object> singletons =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    /** Notes an application whose woven methods get the advice, if there is one, where it applies. */
    WovenLocks(@Nullable LockInterceptor advice) {
        this.advice = advice;
        RUNNING.add(this); // until it is destroyed
    }

    /** @return an application that switched its locks off: its woven methods run without them until the bean is destroyed */
    public static WovenLocks off() {
        return new WovenLocks(null);
    }

    @Override
    public void destroy() {
        RUNNING.remove(this);
        singletons.clear();
    }

    /** Notes a bean, so that its calls find the application among several. */
    void note(Object singleton) {
        singletons.add(singleton);
    }

    /**
     * Runs a woven method under its lock; to be called by the aspect alone.
     *
     * @param target the object, or null if the method is static
     * @param method the method, as its class declares it
     * @param arguments those of the call
     * @param body the method itself
     * @return its result, or what there is instead
     * @throws Throwable what the method or its lock throws
     * @throws IllegalStateException if no application acquires locks here, or several do and this is a bean of none of them
     */
    public static @Nullable Object around(
            @Nullable Object target, Method method, @Nullable Object[] arguments, Body body) throws Throwable {
        if (isGuarded(target, method)) {
            return body.proceed();
        }
        List<Object> applied = adviceFor(target, method);
        return new WovenCall(target, method, arguments, body, applied).proceed();
    }

    /** Leaves out what does not apply: the aspect is woven into more than acquires locks, as the fallback in an annotated class. */
    private List<Object> adviceOf(@Nullable Object target, Method method) {
        Class<?> targetClass = GuardedMethods.targetClass(target, method);
        return advice != null && GuardedMethods.applies(advice.methods(), method, targetClass)
                ? List.of(advice)
                : List.of();
    }

    /** Returns none if no application has any for the method, whichever of them its object is of. */
    private static List<Object> adviceFor(@Nullable Object target, Method method) {
        List<WovenLocks> running = List.copyOf(RUNNING);
        for (WovenLocks each : running) {
            if (running.size() == 1 || (target != null && each.singletons.contains(target))) {
                return each.adviceOf(target, method);
            }
        }
        boolean any = running.isEmpty()
                ? !GuardedMethods.isOnlyAsked(target, method)
                : running.stream()
                        .anyMatch(each -> !each.adviceOf(target, method).isEmpty());
        if (!any) {
            return List.of();
        }
        String because = running.isEmpty()
                ? "no application that acquires locks runs in this JVM; a test without one calls WovenLocks.off() first"
                : "several applications run in this JVM, and its object is no singleton of any of them";
        throw new IllegalStateException("%s.%s is woven to run under a lock, but %s"
                .formatted(method.getDeclaringClass().getName(), method.getName(), because));
    }

    /** Proceeds with a call that a proxy guards: the woven method acquires no second lock. */
    static @Nullable Object proceedGuarded(MethodInvocation call) throws Throwable {
        Guarded before = GUARDED.get();
        Object target = Objects.requireNonNull(call.getThis());
        GUARDED.set(
                new Guarded(target, AopUtils.getMostSpecificMethod(call.getMethod(), AopUtils.getTargetClass(target))));
        try {
            return call.proceed();
        } finally {
            GUARDED.set(before);
        }
    }

    // once: what the body calls on its own object is another call
    private static boolean isGuarded(@Nullable Object target, Method method) {
        Guarded guarded = GUARDED.get();
        boolean same = guarded != null && guarded.target == target && guarded.method.equals(method);
        if (same) {
            GUARDED.remove();
        }
        return same;
    }

    /** Returns true if no proxy is around the method that is called. */
    static boolean isWoven(MethodInvocation call) {
        return call instanceof WovenCall;
    }

    private record Guarded(@Nullable Object target, Method method) {}

    /** The method that was woven, without its advice. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs it, each time it is called.
         *
         * @return its result
         * @throws Throwable what it throws
         */
        @Nullable
        Object proceed() throws Throwable;
    }

    /** A call of a woven method. Its object is its own proxy, as each call of it meets the aspect. */
    private static final class WovenCall extends ReflectiveMethodInvocation {
        private final Body body;

        WovenCall(
                @Nullable Object target, Method method, @Nullable Object[] arguments, Body body, List<Object> advice) {
            super(
                    target == null ? method.getDeclaringClass() : target,
                    target,
                    method,
                    arguments,
                    method.getDeclaringClass(),
                    advice);
            this.body = body;
        }

        @Override
        protected @Nullable Object invokeJoinpoint() throws Throwable {
            return body.proceed();
        }

        /** Nothing is inside of the transaction that a woven method begins, so no lock can be the first in it. */
        @Override
        public void setUserAttribute(String key, @Nullable Object value) {
            throw new IllegalStateException(
                    "The lock was not acquired: its transaction would begin inside of the woven lock. Call the method through its proxy, or from an open transaction");
        }
    }
}
