package io.rowlock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the classes that have an annotation of Rowlock, or one made of it, on themselves, a method, a superclass or an interface. Each
 * class of a hierarchy is looked at once, where a search for each method of each bean would look at it many times. Thread-safe.
 */
public final class AnnotatedTypes {
    private static final String ROWLOCK = "io.rowlock.";
    private static final Map<Class<?>, Boolean> KNOWN = new ConcurrentReferenceHashMap<>();

    /** By the type of an annotation: what it is made of is the same wherever it stands. */
    private static final Map<Class<?>, Boolean> OURS = new ConcurrentReferenceHashMap<>();

    private AnnotatedTypes() {}

    /**
     * Returns true if a method of the class can be annotated, by itself, by its class or by what it overrides.
     *
     * @param type a class or an interface
     * @return false if no method of it has a lock or runs on a leader only
     */
    public static boolean contain(Class<?> type) {
        Boolean known = KNOWN.get(type);
        if (known == null) {
            known = AnnotationUtils.isCandidateClass(type, DistributedLock.class)
                    && (declares(type) || supertypes(type).anyMatch(AnnotatedTypes::contain));
            KNOWN.put(type, known);
        }
        return known;
    }

    private static Stream<Class<?>> supertypes(Class<?> type) {
        return Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
    }

    private static boolean declares(Class<?> type) {
        return isAnnotated(type)
                || Arrays.stream(ReflectionUtils.getDeclaredMethods(type)).anyMatch(AnnotatedTypes::isAnnotated);
    }

    private static boolean isAnnotated(AnnotatedElement element) {
        try {
            return Arrays.stream(element.getDeclaredAnnotations())
                    .anyMatch(each -> OURS.computeIfAbsent(each.annotationType(), AnnotatedTypes::isMadeOfOurs));
        } catch (ArrayStoreException | TypeNotPresentException | LinkageError unreadable) {
            return true; // Spring's search, which is next, passes over what it cannot read
        }
    }

    /** Returns true of an annotation of Rowlock, one that is annotated with it, and one that holds several of them. */
    private static boolean isMadeOfOurs(Class<?> annotation) {
        Method value = ClassUtils.getMethodIfAvailable(annotation, MergedAnnotation.VALUE);
        Class<?> held = value == null ? null : value.getReturnType().getComponentType();
        return annotation.getName().startsWith(ROWLOCK)
                || MergedAnnotations.from(annotation).stream()
                        .anyMatch(meta -> meta.getType().getName().startsWith(ROWLOCK))
                || (held != null && held.isAnnotation() && isMadeOfOurs(held));
    }
}
