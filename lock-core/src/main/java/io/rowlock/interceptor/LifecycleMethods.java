package io.rowlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Knows the methods that the container calls on the bean itself, without its proxy. */
final class LifecycleMethods {
    private static final Map<String, Class<?>> CALLBACKS =
            Map.of("afterPropertiesSet", InitializingBean.class, "destroy", DisposableBean.class);
    private static final List<String> ANNOTATIONS = List.of(
            "jakarta.annotation.PostConstruct",
            "jakarta.annotation.PreDestroy",
            "jakarta.inject.Inject",
            "org.springframework.beans.factory.annotation.Autowired");

    private LifecycleMethods() {}

    /** @return why the container's call of the method is not intercepted, or null if the container does not call it */
    static @Nullable String describe(Method method, Class<?> beanClass) {
        MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
        if (annotations.isPresent(Bean.class)) {
            return "the container calls a @Bean method while it makes the bean";
        }
        return ANNOTATIONS.stream().anyMatch(annotations::isPresent)
                        || isCallback(method, beanClass)
                        || isAware(method, beanClass)
                ? "the container calls a life-cycle method on the bean itself; move the work into a method of another bean"
                : null;
    }

    private static boolean isCallback(Method method, Class<?> beanClass) {
        Class<?> callback = method.getParameterCount() == 0 ? CALLBACKS.get(method.getName()) : null;
        return callback != null && callback.isAssignableFrom(beanClass);
    }

    private static boolean isAware(Method method, Class<?> beanClass) {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(beanClass))
                .filter(Aware.class::isAssignableFrom)
                .anyMatch(type -> ClassUtils.hasMethod(type, method.getName(), method.getParameterTypes()));
    }
}
