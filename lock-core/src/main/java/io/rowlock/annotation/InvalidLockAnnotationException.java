package io.rowlock.annotation;

import io.rowlock.Printable;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A lock annotation that cannot work where it stands: what is wrong, with its value and the limit. */
public class InvalidLockAnnotationException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String remedy;

    /**
     * @param beanClass the class of the bean
     * @param method the method the annotation applies to
     * @param problem what is wrong, as a sentence without a full stop
     * @param remedy what to do about it, as sentences, or null for a correction of the annotation or the method
     * @param cause the error that showed it, if there was one
     */
    public InvalidLockAnnotationException(
            Class<?> beanClass, Method method, String problem, @Nullable String remedy, @Nullable Throwable cause) {
        super("%s.%s: %s".formatted(beanClass.getName(), Printable.of(method), problem), cause);
        this.remedy = remedy;
    }

    /** @return what to do about it, if that is not just to correct the annotation or the method */
    public Optional<String> remedy() {
        return Optional.ofNullable(remedy);
    }
}
