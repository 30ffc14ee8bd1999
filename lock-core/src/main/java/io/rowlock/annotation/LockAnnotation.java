package io.rowlock.annotation;

import io.rowlock.LockMode;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * A lock annotation as it was found on a method or class, its attributes merged with those of annotations
 * that are made of it.
 */
record LockAnnotation(MergedAnnotation<?> attributes, LockMode mode) {
    static final Map<Class<? extends Annotation>, LockMode> MODES = Map.of(
            DistributedLock.class, LockMode.EXCLUSIVE,
            WriteLock.class, LockMode.EXCLUSIVE,
            ReadLock.class, LockMode.SHARED,
            DistributedSemaphore.class, LockMode.PERMIT);

    /** The annotation nearest to the element: its own, else that of what it overrides, extends or implements. */
    static @Nullable LockAnnotation nearest(AnnotatedElement element) {
        List<MergedAnnotation<?>> found = found(element);
        int nearest = found.stream()
                .mapToInt(MergedAnnotation::getAggregateIndex)
                .min()
                .orElse(-1);
        List<MergedAnnotation<?>> candidates =
                found.stream().filter(one -> one.getAggregateIndex() == nearest).toList();
        if (candidates.size() > 1) {
            throw new IllegalArgumentException("it has more than one lock annotation: " + names(candidates));
        }
        return candidates.stream().findFirst().map(LockAnnotation::of).orElse(null);
    }

    private static List<MergedAnnotation<?>> found(AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream()
                .filter(one -> MODES.containsKey(one.getType()))
                .<MergedAnnotation<?>>map(one -> one)
                .toList();
    }

    private static String names(List<MergedAnnotation<?>> annotations) {
        return annotations.stream().map(one -> nameOf(one.getRoot())).sorted().collect(Collectors.joining(", "));
    }

    private static LockAnnotation of(MergedAnnotation<?> attributes) {
        LockMode mode = MODES.get(attributes.getType());
        return new LockAnnotation(attributes, mode == null ? LockMode.EXCLUSIVE : mode);
    }

    /** @return whether it is a {@link OncePerCluster}, or made of one */
    boolean isOncePerCluster() {
        return attributes.getMetaTypes().contains(OncePerCluster.class);
    }

    String label() {
        return nameOf(attributes.getRoot());
    }

    private static String nameOf(MergedAnnotation<?> annotation) {
        return "@" + annotation.getType().getSimpleName();
    }
}
