package io.rowlock.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds the method that is called instead of a guarded one. */
final class FallbackMethod {
    private FallbackMethod() {}

    static Method find(String name, Method guarded, Class<?> beanClass) {
        Method fallback = ReflectionUtils.findMethod(beanClass, name, guarded.getParameterTypes());
        if (fallback == null) {
            throw new IllegalArgumentException("the fallback \"%s\" does not exist: no method %s in %s or above"
                    .formatted(name, signature(name, guarded), beanClass.getName()));
        }
        if (fallback.equals(guarded)) {
            throw new IllegalArgumentException("the fallback \"%s\" is the guarded method itself".formatted(name));
        }
        if (guarded.getReturnType() != void.class
                && !ClassUtils.isAssignable(guarded.getReturnType(), fallback.getReturnType())) {
            throw new IllegalArgumentException("the fallback \"%s\" returns %s, which is no %s"
                    .formatted(name, typeOf(fallback), typeOf(guarded)));
        }
        return fallback;
    }

    private static String typeOf(Method method) {
        return method.getReturnType().getTypeName();
    }

    private static String signature(String name, Method guarded) {
        return Arrays.stream(guarded.getParameterTypes())
                .map(Class::getTypeName)
                .collect(Collectors.joining(", ", name + "(", ")"));
    }
}
