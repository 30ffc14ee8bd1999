package io.rowlock.interceptor;

import io.rowlock.interceptor.LockAnnotationParser.LockAnnotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Registers for native images what beans with locks need: their fallback methods, which are called by reflection, and the types of
 * the arguments that a key expression may go through.
 */
final class GuardedBeanHints implements BeanRegistrationAotProcessor {
    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> beanClass = ClassUtils.getUserClass(bean.getBeanClass());
        List<Method> guarded = guardedMethods(beanClass);
        if (guarded.isEmpty()) {
            return null;
        }
        return (generation, code) ->
                guarded.forEach(method -> register(method, beanClass, generation.getRuntimeHints()));
    }

    private static List<Method> guardedMethods(Class<?> beanClass) {
        return MethodIntrospector.selectMethods(
                        beanClass,
                        (Method method) -> !ReflectionUtils.isObjectMethod(method)
                                && !locksOf(method, beanClass).isEmpty())
                .stream()
                .toList();
    }

    private static void register(Method method, Class<?> beanClass, RuntimeHints hints) {
        BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();
        for (MergedAnnotation<?> lock : locksOf(method, beanClass)) {
            Method fallback = ReflectionUtils.findMethod(
                    beanClass, lock.getString("fallback").strip(), method.getParameterTypes());
            if (fallback != null) {
                hints.reflection().registerMethod(fallback, ExecutableMode.INVOKE);
            }
            if (!lock.getString("key").isEmpty()) {
                properties.registerReflectionHints(hints.reflection(), method.getGenericParameterTypes());
            }
        }
    }

    /** The annotations of a method and of its class. */
    private static List<MergedAnnotation<?>> locksOf(Method method, Class<?> beanClass) {
        return Stream.of(AopUtils.getMostSpecificMethod(method, beanClass), beanClass)
                .flatMap(element -> LockAnnotation.found(element).stream())
                .toList();
    }
}
