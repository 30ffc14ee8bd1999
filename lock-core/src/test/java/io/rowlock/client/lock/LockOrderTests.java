package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What a held lock is: its three classes, their fields and their one guard. That nothing is called out under the guard is asserted by
 * {@link KeyQueue#assertNotHeld} wherever something is, in every test; here it is read in the sources.
 */
class LockOrderTests {
    private static final List<Class<?>> CENTRE = List.of(KeyQueue.class, ThreadLock.class, HeldLease.class);
    private static final Path SOURCES = Path.of("src/main/java/io/rowlock/client/lock");

    /** Calls that a guarded part of these classes must not have. */
    private static final Pattern CALLS_OUT = Pattern.compile(
            "store\\(\\)\\.(?!capabilities)|observers\\.(?!ticker)|observation\\.(?!age|waited)"
                    + "|renewer\\.(?!interval)|ending\\.|pending\\.|background\\.|threadLocks\\.|queues\\.|\\blog\\.|\\blogger\\.|\\.accept\\(|\\.run\\(|\\bwake\\(|unpark\\(");

    private static final Pattern GUARDED =
            Pattern.compile("synchronized \\((\\w+)\\) \\{|\\bsynchronized [^(]+\\([^)]*\\) \\{");

    private static Stream<Field> fields(Class<?> type) {
        return Stream.concat(
                        Stream.of(type),
                        Arrays.stream(type.getDeclaredClasses())
                                .filter(nested -> !nested.isEnum() && !nested.isRecord()))
                .flatMap(each -> Arrays.stream(each.getDeclaredFields()))
                .filter(field -> !field.isSynthetic() && !Modifier.isStatic(field.getModifiers()));
    }

    @Test
    void heldLockHasFewMutableFields() {
        List<String> mutable = CENTRE.stream()
                .flatMap(LockOrderTests::fields)
                .filter(field -> !Modifier.isFinal(field.getModifiers()))
                .map(field -> field.getDeclaringClass().getSimpleName() + "." + field.getName())
                .toList();
        assertThat(mutable)
                .contains("HeldLease.phase", "ThreadLock.state", "KeyQueue.present")
                .hasSizeLessThanOrEqualTo(18);
    }

    @Test
    void queueOfAKeyIsTheOnlyGuardOfItsLocks() throws IOException {
        assertThat(CENTRE.stream().flatMap(LockOrderTests::fields))
                .noneMatch(field -> Lock.class.isAssignableFrom(field.getType())
                        || field.getType().getName().startsWith("java.util.concurrent.Semaphore"));
        for (Class<?> type : CENTRE) {
            String guard = type == KeyQueue.class ? "this" : "guard";
            Matcher guarded = GUARDED.matcher(source(type));
            while (guarded.find()) {
                if (guarded.group(1) != null) {
                    assertThat(guarded.group(1)).as(type.getSimpleName()).isEqualTo(guard);
                } else {
                    assertThat(type).as("has synchronized methods").isEqualTo(KeyQueue.class);
                }
            }
        }
    }

    private static String source(Class<?> type) throws IOException {
        return Files.readString(SOURCES.resolve(type.getSimpleName() + ".java"));
    }

    private static List<String> guardedParts(Class<?> type) throws IOException {
        String source = source(type);
        List<String> parts = new ArrayList<>();
        Matcher guarded = GUARDED.matcher(source);
        while (guarded.find()) {
            int depth = 1;
            int end = guarded.end();
            while (depth > 0) {
                depth += source.charAt(end) == '{' ? 1 : source.charAt(end) == '}' ? -1 : 0;
                end++;
            }
            parts.add(source.substring(guarded.start(), end));
        }
        return parts;
    }

    @Test
    void nothingIsCalledOutUnderTheGuard() throws IOException {
        for (Class<?> type : CENTRE) {
            List<String> parts = guardedParts(type);
            assertThat(parts).as(type.getSimpleName()).hasSizeGreaterThan(8);
            assertThat(parts)
                    .as(type.getSimpleName())
                    .noneMatch(part -> CALLS_OUT.matcher(part).find());
        }
    }
}
