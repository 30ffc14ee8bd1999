package io.rowlock.interceptor;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** What {@code #root} is in a key expression; a class with getters because SpEL reads properties through them. */
final class KeyRoot {
    private final Method method;
    private final @Nullable Object[] args;
    private final Object target;
    private final Class<?> targetClass;

    KeyRoot(Method method, @Nullable Object[] args, Object target, Class<?> targetClass) {
        this.method = method;
        this.args = args;
        this.target = target;
        this.targetClass = targetClass;
    }

    public Method getMethod() {
        return method;
    }

    public String getMethodName() {
        return method.getName();
    }

    public @Nullable Object[] getArgs() {
        return args;
    }

    public Object getTarget() {
        return target;
    }

    public Class<?> getTargetClass() {
        return targetClass;
    }
}
