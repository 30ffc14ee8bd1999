package io.rowlock.interceptor;

import io.rowlock.annotation.AnnotatedTypes;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.CannotLoadBeanClassException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Finds the beans whose methods may have annotations of Rowlock. Makes no bean. */
final class AnnotatedBeans {
    /** The object of Spring's test framework that knows what it has put in the place of beans, as mocks. */
    static final String REPLACEMENTS = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    private AnnotatedBeans() {}

    /** Returns the classes of all but a test's replacements that may have such methods, whether or not they are made. */
    static Stream<Class<?>> classesOfOriginals(ConfigurableListableBeanFactory beans) {
        return classes(beans, namesOfOriginals(beans));
    }

    /** Returns the classes of all that may have such methods, whether or not they are made. */
    static Stream<Class<?>> classes(ConfigurableListableBeanFactory beans) {
        return classes(beans, names(beans));
    }

    private static Stream<Class<?>> classes(ConfigurableListableBeanFactory beans, Stream<String> names) {
        return names.flatMap(name -> beanClass(beans, name).stream()).distinct();
    }

    /** Returns the names of all beans, also of objects that were registered. */
    private static Stream<String> names(ConfigurableListableBeanFactory beans) {
        return Stream.concat(Arrays.stream(beans.getBeanDefinitionNames()), Arrays.stream(beans.getSingletonNames()))
                .distinct();
    }

    /** Returns the names of all but a test's replacements, whose bodies need no lock. */
    static Stream<String> namesOfOriginals(ConfigurableListableBeanFactory beans) {
        Object registry = beans.getSingleton(REPLACEMENTS);
        Object replaced = registry == null
                ? Map.of()
                : Objects.requireNonNull(new DirectFieldAccessor(registry).getPropertyValue("handlerToBeanNameMap"));
        return names(beans).filter(name -> !((Map<?, ?>) replaced).containsValue(name));
    }

    /** Returns the class of a bean that may have such methods; not of its proxy, which need not show the annotations. Makes no bean. */
    static Optional<Class<?>> beanClass(ConfigurableListableBeanFactory beans, String name) {
        // AutoProxyUtils.determineTargetClass would make a FactoryBean that does not tell its product's type
        Object target = beans.containsBeanDefinition(name)
                ? beans.getMergedBeanDefinition(name).getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE)
                : null;
        try {
            return Optional.<Class<?>>ofNullable(target == null ? beans.getType(name, false) : (Class<?>) target)
                    .<Class<?>>map(ClassUtils::getUserClass)
                    .filter(AnnotatedTypes::contain);
        } catch (CannotLoadBeanClassException missing) {
            return Optional.empty(); // Spring refuses it when it is made, and not before
        }
    }
}
