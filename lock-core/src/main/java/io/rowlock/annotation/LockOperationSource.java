package io.rowlock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/** Knows the {@link LockOperation} of every method; each is parsed once. Thread-safe. */
public final class LockOperationSource {
    private final Map<MethodClassKey, Optional<LockOperation>> cache = new ConcurrentHashMap<>();
    private final LockAnnotationParser parser;

    /** @param placeholders resolves the ${…} of attributes */
    public LockOperationSource(StringValueResolver placeholders) {
        this(placeholders, LockOverrides.NONE);
    }

    /**
     * @param placeholders resolves the ${…} of attributes
     * @param overrides what wins over the annotations
     */
    public LockOperationSource(StringValueResolver placeholders, LockOverrides overrides) {
        this.parser = new LockAnnotationParser(placeholders, overrides);
    }

    /**
     * Whether methods of a class can have a lock at all; false is cheap and final.
     *
     * @param type the class to look at
     * @return whether to look closer
     */
    public boolean isCandidate(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, LockAnnotation.MODES.keySet());
    }

    /**
     * The lock of a method.
     *
     * @param method the method, of the class or one of its interfaces
     * @param targetClass the class of the bean
     * @return its operation, or null if it takes no lock
     * @throws InvalidLockAnnotationException if there is an annotation that cannot work
     */
    public @Nullable LockOperation find(Method method, Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass);
        return cache.computeIfAbsent(
                        new MethodClassKey(method, beanClass), key -> Optional.ofNullable(parse(method, beanClass)))
                .orElse(null);
    }

    /**
     * Whether the method carries the annotation itself, or inherits it from a method, and not from its class.
     *
     * @param method the method, of the class or one of its interfaces
     * @param targetClass the class of the bean
     * @return whether the annotation is one of the method
     */
    public boolean isDeclaredOnMethod(Method method, Class<?> targetClass) {
        Class<?> beanClass = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, beanClass);
        return nearest(specific, specific, beanClass) != null;
    }

    private @Nullable LockOperation parse(Method method, Class<?> beanClass) {
        if (method.getDeclaringClass() == Object.class) {
            return null;
        }
        Method specific = AopUtils.getMostSpecificMethod(method, beanClass);
        LockAnnotation own = nearest(specific, specific, beanClass);
        LockAnnotation annotation = own == null ? ofClass(specific, beanClass) : own;
        return annotation == null ? null : parser.parse(annotation, specific, beanClass);
    }

    private static @Nullable LockAnnotation ofClass(Method method, Class<?> beanClass) {
        int modifiers = method.getModifiers();
        if (!Modifier.isPublic(modifiers)
                || Modifier.isStatic(modifiers)
                || method.isSynthetic()
                || ReflectionUtils.isObjectMethod(method)) {
            return null;
        }
        LockAnnotation annotation = nearest(beanClass, method, beanClass);
        boolean fallback = annotation != null
                && annotation.attributes().getString("fallback").equals(method.getName());
        return fallback ? null : annotation;
    }

    private static @Nullable LockAnnotation nearest(AnnotatedElement element, Method method, Class<?> beanClass) {
        try {
            return LockAnnotation.nearest(element);
        } catch (IllegalArgumentException failure) {
            throw new InvalidLockAnnotationException(beanClass, method, String.valueOf(failure.getMessage()), failure);
        }
    }
}
