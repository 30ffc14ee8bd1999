package io.rowlock.interceptor;

import io.rowlock.Printable;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Turns the value of a key expression into text: one value, or one for each element. Equal values have one text, in every process
 * and every version of Java, or they are refused: a lock whose key differs from node to node excludes nobody. Thread-safe.
 */
final class KeyText {
    private static final Logger log = LoggerFactory.getLogger(KeyText.class);

    /** More digits than the longest key has bytes. */
    private static final int MOST_DIGITS = 255;

    /** Types whose toString() is their one text. */
    private static final List<Class<?>> PLAIN = List.of(
            CharSequence.class,
            Character.class,
            Boolean.class,
            Long.class,
            Integer.class,
            Short.class,
            Byte.class,
            BigInteger.class,
            AtomicInteger.class,
            AtomicLong.class,
            UUID.class,
            URI.class,
            Path.class,
            Locale.class,
            Currency.class);

    private final Set<Class<?>> named = ConcurrentHashMap.newKeySet();

    /**
     * Returns the texts of the value of an expression.
     *
     * @param besideName whether a name stands before each in the key
     * @throws IllegalArgumentException if a value is null, empty, or of a type that has no text of its own
     */
    List<String> of(@Nullable Object yielded, boolean besideName) {
        Object value = ObjectUtils.unwrapOptional(yielded);
        List<? extends @Nullable Object> elements = value == null ? null : elements(value);
        if (elements == null) {
            return List.of(filled(value, "it", besideName));
        }
        if (elements.isEmpty()) {
            throw new IllegalArgumentException("it is a collection without elements");
        }
        return elements.stream()
                .map(element -> filled(element, "an element of it", besideName))
                .toList();
    }

    /** Returns the elements of what stands for several keys, or null for one value. */
    private static @Nullable List<? extends @Nullable Object> elements(Object value) {
        if (value instanceof byte[] || value instanceof char[]) {
            throw refused(value, "it");
        }
        if (value.getClass().isArray()) {
            return Arrays.asList(ObjectUtils.toObjectArray(value));
        }
        if (value instanceof Stream<?> stream) {
            return stream.toList();
        }
        if (value instanceof Collection<?> several) {
            return new ArrayList<@Nullable Object>(several);
        }
        // iterating a path or a node of JSON does not tell what it names
        if (value instanceof Iterable && !(value instanceof Path)) {
            throw refused(value, "it");
        }
        return null;
    }

    private String filled(@Nullable Object element, String what, boolean besideName) {
        Object value = ObjectUtils.unwrapOptional(element);
        if (value == null) {
            throw new IllegalArgumentException(what + " is null");
        }
        String text = text(value, what);
        if (text.isEmpty() || (besideName && text.isBlank())) {
            throw new IllegalArgumentException(what + (text.isEmpty() ? " is empty" : " is blank"));
        }
        return text;
    }

    private String text(Object value, String what) {
        if (value instanceof String text) {
            return text;
        }
        if ((value.getClass().getPackageName().startsWith("java.time") && !(value instanceof Enum))
                || PLAIN.stream().anyMatch(type -> type.isInstance(value))) {
            return value.toString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value instanceof BigDecimal number) {
            return digits(number, what);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(each -> inside(each, what)).collect(Collectors.joining(", ", "[", "]"));
        }
        // A toString() of its own has no reason to show all parts
        if (value instanceof Record && shown(value, what, String::valueOf).equals(value.toString())) {
            return shown(value, what, part -> inside(part, what));
        }
        return ownText(value, what);
    }

    private String inside(@Nullable Object part, String what) {
        Object value = ObjectUtils.unwrapOptional(part);
        return value == null ? "null" : text(value, "a part of " + what);
    }

    /** Returns 1.5 for 1.50, and 100 for 1E+2. */
    private static String digits(BigDecimal number, String what) {
        BigDecimal shortest = number.stripTrailingZeros();
        if (Math.max(shortest.precision(), shortest.precision() - (long) shortest.scale()) > MOST_DIGITS
                || shortest.scale() > MOST_DIGITS) {
            throw new IllegalArgumentException("%s is a number of more than %d digits".formatted(what, MOST_DIGITS));
        }
        return shortest.toPlainString();
    }

    private static String shown(Object record, String what, Function<@Nullable Object, String> texts) {
        return Arrays.stream(record.getClass().getRecordComponents())
                .map(part -> part.getName() + "=" + texts.apply(read(record, part, what)))
                .collect(Collectors.joining(", ", record.getClass().getSimpleName() + "[", "]"));
    }

    private static @Nullable Object read(Object record, RecordComponent part, String what) {
        Method accessor = part.getAccessor();
        if (!accessor.trySetAccessible()) {
            throw refused(record, what);
        }
        return ReflectionUtils.invokeMethod(accessor, record);
    }

    private String ownText(Object value, String what) {
        Class<?> type = ClassUtils.getUserClass(value);
        if (!declaresItself(type)) {
            throw refused(value, what);
        }
        String text = String.valueOf(value);
        // The second is that of the entity which a proxy stands for
        if (shows(text, System.identityHashCode(value)) || shows(text, value.hashCode())) {
            throw refused(value, what);
        }
        if (named.add(type)) {
            log.warn(
                    "Lock keys are made with toString() of {}: if its text changes from one version to the next, or differs for equal values, the locks exclude nobody; give the key as text",
                    type.getName());
        }
        return text;
    }

    /** Returns true for a text like that of Object, which tells objects apart and not values. */
    private static boolean shows(String text, int hash) {
        return text.indexOf('@') >= 0
                && Pattern.compile("\\w@" + Integer.toHexString(hash) + "\\b")
                        .matcher(text)
                        .find();
    }

    private static boolean declaresItself(Class<?> type) {
        Method toString = ReflectionUtils.findMethod(type, "toString");
        return toString != null && !isOfJava(toString.getDeclaringClass());
    }

    private static boolean isOfJava(Class<?> type) {
        String module = type.getModule().getName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."));
    }

    private static IllegalArgumentException refused(Object value, String what) {
        return new IllegalArgumentException(
                "%s is a %s, which has no text that is the same for equal values everywhere (toString() need not be); give the key as text"
                        .formatted(what, Printable.of(value.getClass().getTypeName())));
    }
}
