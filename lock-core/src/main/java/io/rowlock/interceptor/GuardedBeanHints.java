package io.rowlock.interceptor;

import io.rowlock.annotation.OncePerCluster;
import io.rowlock.leader.LeaderOnly;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
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
        List<Method> guarded = GuardedMethods.candidates(beanClass)
                .filter(method -> !locksOf(method, beanClass).isEmpty())
                .toList();
        if (guarded.isEmpty()) {
            return null;
        }
        return (generation, code) ->
                guarded.forEach(method -> register(method, beanClass, generation.getRuntimeHints()));
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
        return Stream.of(method, beanClass)
                .flatMap(element -> LockAnnotationParser.found(element).stream())
                .toList();
    }

    /**
     * Registers for native images what is read though no code says so: the annotations, what {@code #root} is in a key,
     * and the scripts of the tables. Types that a key expression goes through, such as that of {@code #order}, are the
     * application's.
     */
    static final class LockRuntimeHints implements RuntimeHintsRegistrar {
        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            Stream.concat(
                            LockAnnotationParser.MODES.keySet().stream(),
                            Stream.of(OncePerCluster.class, LeaderOnly.class))
                    .forEach(annotation ->
                            hints.reflection().registerType(annotation, MemberCategory.INVOKE_PUBLIC_METHODS));
            hints.reflection().registerType(KeyExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS);
            hints.resources().registerPattern("db/rowlock/mysql/*.sql");
        }
    }
}
