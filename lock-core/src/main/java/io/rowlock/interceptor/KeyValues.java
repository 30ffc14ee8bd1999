package io.rowlock.interceptor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/** Turns the value of a key expression into text: one value, or one for each element. */
final class KeyValues {
    private KeyValues() {}

    static List<String> of(@Nullable Object yielded) {
        Object value = ObjectUtils.unwrapOptional(yielded);
        if (value == null) {
            throw new IllegalArgumentException("it is null");
        }
        List<? extends @Nullable Object> elements = elements(value);
        if (elements == null) {
            return List.of(text(value, "it"));
        }
        if (elements.isEmpty()) {
            throw new IllegalArgumentException("it is a collection without elements");
        }
        return elements.stream()
                .map(element -> text(element, "an element of it"))
                .toList();
    }

    private static @Nullable List<? extends @Nullable Object> elements(Object value) {
        if (value instanceof Object[] || value.getClass().isArray()) {
            return Arrays.asList(ObjectUtils.toObjectArray(value));
        }
        if (value instanceof Stream<?> stream) {
            return stream.toList();
        }
        // a path is iterable, but names one thing
        if (value instanceof Iterable<?> several && !(value instanceof Path)) {
            List<@Nullable Object> elements = new ArrayList<>();
            several.forEach(elements::add);
            return elements;
        }
        return null;
    }

    private static String text(@Nullable Object element, String what) {
        Object value = element instanceof Optional<?> optional ? optional.orElse(null) : element;
        if (value == null) {
            throw new IllegalArgumentException(what + " is null");
        }
        if (!hasText(value)) {
            throw new IllegalArgumentException("%s is a %s, which has no toString() of its own"
                    .formatted(what, value.getClass().getName()));
        }
        String text = value.toString();
        if (text == null || text.isEmpty()) {
            throw new IllegalArgumentException(what + " is empty");
        }
        return text;
    }

    /** The text of {@link Object#toString} differs for equal values, so the lock would exclude no caller. */
    private static boolean hasText(Object value) {
        if (value instanceof CharSequence || value instanceof Number) {
            return true;
        }
        try {
            return value.getClass().getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
