package io.rowlock.annotation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringValueResolver;

/** Reads the {@link LockOperation} of a method from its annotations. Thread-safe. */
public final class LockOperationSource implements AopInfrastructureBean {
    /** The lock annotations that others are made of. */
    public static final Set<Class<? extends Annotation>> ANNOTATIONS = LockAnnotation.MODES.keySet();

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
     * Returns the lock of a method.
     *
     * @param method the method, of the class or one of its interfaces
     * @param targetClass the class of the bean
     * @return its operation, or null if it takes no lock
     * @throws InvalidLockAnnotationException if there is an annotation that cannot work
     */
    public @Nullable LockOperation find(Method method, Class<?> targetClass) {
        return parse(method, ClassUtils.getUserClass(targetClass));
    }

    /**
     * Tells what to do about a lock that cannot be taken, if properties have a part in it.
     *
     * @param operation the operation of a method
     * @return sentences that name the properties, or null if there are none for its name
     */
    public @Nullable String remedy(LockOperation operation) {
        return parser.overrides().remedy(operation.name()).orElse(null);
    }

    /**
     * Returns true if the method carries the annotation itself, or inherits it from a method, and not from its class.
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
