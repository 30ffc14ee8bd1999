package io.rowlock.interceptor;

import io.rowlock.annotation.AnnotatedTypes;
import io.rowlock.annotation.InvalidLockAnnotationException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.CannotLoadBeanClassException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/**
 * Knows what annotations of Rowlock say of the methods of an application, each decided once, and matches those that they say something
 * of. Makes no bean. Thread-safe.
 */
abstract class AnnotatedMethods extends StaticMethodMatcherPointcut {
    /** The object of Spring's test framework that knows what it has put in the place of beans, as mocks. */
    static final String REPLACEMENTS = "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    private final Map<MethodClassKey, Optional<ProxiedMethod>> known = new ConcurrentHashMap<>();

    AnnotatedMethods() {
        setClassFilter(AnnotatedTypes::contain);
    }

    /**
     * Reads the annotations.
     *
     * @param method the method of the class, which is not one of {@code Object}
     * @return what they say, or null if there are none
     * @throws IllegalArgumentException if it cannot work there, with the reason
     */
    abstract @Nullable ProxiedMethod decide(Method method, Class<?> beanClass);

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return find(method, targetClass) != null;
    }

    /** @throws InvalidLockAnnotationException if there is an annotation that cannot work */
    @Nullable
    ProxiedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, targetClass);
        Optional<ProxiedMethod> decided = known.get(key);
        if (decided == null) {
            Class<?> beanClass = ClassUtils.getUserClass(targetClass);
            decided = method.getDeclaringClass() == Object.class
                    ? Optional.empty()
                    : decided(AopUtils.getMostSpecificMethod(method, beanClass), beanClass);
            known.put(key, decided);
        }
        return decided.orElse(null);
    }

    private Optional<ProxiedMethod> decided(Method method, Class<?> beanClass) {
        try {
            return Optional.ofNullable(decide(method, beanClass));
        } catch (IllegalArgumentException wrong) {
            throw new InvalidLockAnnotationException(
                    beanClass, method, String.valueOf(wrong.getMessage()), null, wrong);
        }
    }

    /**
     * Returns the text of an attribute.
     *
     * @param what what the text is, for people to read
     * @return it without blanks around it, or null if there is none
     * @throws IllegalArgumentException if a placeholder is not resolved
     */
    static @Nullable String resolved(StringValueResolver placeholders, String what, String raw) {
        String text = placeholders.resolveStringValue(raw);
        if (text != null && text.contains("${")) {
            throw new IllegalArgumentException(
                    "%s \"%s\" has a placeholder that is not resolved".formatted(what, text));
        }
        return text == null || text.isBlank() ? null : text.strip();
    }

    /**
     * Returns what is said of the method that is called.
     *
     * @throws IllegalStateException if nothing is, though the pointcut let the call through: to proceed with it would be to run the body
     *     without its lock, or on any node
     */
    ProxiedMethod of(MethodInvocation call) {
        ProxiedMethod found = find(call.getMethod(), targetClass(call));
        if (found == null) {
            throw new IllegalStateException(
                    "%s was not called: its proxy was made for an annotated method, but %s has no annotation for it. The target of a proxy must stay of one class"
                            .formatted(call.getMethod(), targetClass(call).getName()));
        }
        return found;
    }

    /**
     * Returns the class that the pointcut was asked with: that of the target itself, even if it is a proxy again, as of a repository. A
     * static method, which can only be woven, has no target.
     */
    static Class<?> targetClass(MethodInvocation call) {
        return targetClass(call.getThis(), call.getMethod());
    }

    static Class<?> targetClass(@Nullable Object target, Method method) {
        return target == null ? method.getDeclaringClass() : target.getClass();
    }

    /** Returns what is said of the methods of all beans, but for annotations that stop the start when their bean is made. */
    List<ProxiedMethod> readable(ConfigurableListableBeanFactory beans) {
        return classes(beans, names(beans))
                .flatMap(beanClass -> candidates(beanClass).flatMap(method -> readable(method, beanClass)))
                .toList();
    }

    private Stream<ProxiedMethod> readable(Method method, Class<?> beanClass) {
        try {
            return Stream.ofNullable(find(method, beanClass));
        } catch (InvalidLockAnnotationException wrong) {
            return Stream.empty(); // reported when the bean is made
        }
    }

    /** Returns what is said of the methods of a class. */
    List<ProxiedMethod> in(Class<?> beanClass) {
        return candidates(beanClass)
                .flatMap(method -> Stream.ofNullable(find(method, beanClass)))
                .toList();
    }

    /** Returns the methods of a class that may be annotated and can be called through a proxy, if anything can. */
    static Stream<Method> candidates(Class<?> beanClass) {
        return AnnotatedTypes.contain(beanClass)
                ? Arrays.stream(ReflectionUtils.getAllDeclaredMethods(beanClass))
                        .filter(method -> isOwn(method, beanClass))
                : Stream.empty();
    }

    // a method that is overridden further down is never called through the proxy
    private static boolean isOwn(Method method, Class<?> beanClass) {
        return !method.isSynthetic()
                && method.getDeclaringClass() != Object.class
                && AopUtils.getMostSpecificMethod(method, beanClass).equals(method);
    }

    /** Returns the classes of all but a test's replacements that may have such methods, whether or not they are made. */
    static Stream<Class<?>> classesOfOriginals(ConfigurableListableBeanFactory beans) {
        return classes(beans, namesOfOriginals(beans));
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
