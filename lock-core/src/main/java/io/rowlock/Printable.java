package io.rowlock;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Text from outside, such as a key or an owner, as people may read it in a message or a log: in one line, and nothing that
 * moves, hides or turns round what is beside it. Meters, events and tables have the text itself.
 */
public final class Printable {
    private Printable() {}

    /**
     * Replaces control and format characters, line separators and halves of surrogate pairs by their escapes as Java has
     * them. Text that was printable already stays as it is.
     *
     * @param text what to show
     * @return the text in one line
     */
    public static String of(String text) {
        return text.codePoints().allMatch(Printable::isPrintable) ? text : escaped(text);
    }

    /**
     * A duration as people write it in properties: {@code 30s}, {@code 1m30s}, {@code 1d}. What is shorter than a millisecond
     * is left out of longer ones.
     *
     * @param duration what to show
     * @return the duration
     */
    public static String of(Duration duration) {
        boolean isLong = duration.abs().compareTo(Duration.ofMillis(1)) >= 0;
        return DurationFormatterUtils.print(
                isLong ? duration.truncatedTo(ChronoUnit.MILLIS) : duration, DurationFormat.Style.COMPOSITE);
    }

    /**
     * A method as messages show it: its name and the simple names of its parameters' types.
     *
     * @param method what to show
     * @return the method
     */
    public static String of(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", method.getName() + "(", ")"));
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }

    private static String escaped(String text) {
        return text.codePoints()
                .mapToObj(character -> isPrintable(character) ? Character.toString(character) : escape(character))
                .collect(Collectors.joining());
    }

    private static String escape(int character) {
        return switch (character) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> String.format(Locale.ROOT, character > 0xFFFF ? "\\u{%x}" : "\\u%04x", character);
        };
    }
}
