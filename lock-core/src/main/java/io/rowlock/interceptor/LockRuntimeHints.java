package io.rowlock.interceptor;

import io.rowlock.annotation.OncePerCluster;
import io.rowlock.interceptor.LockAnnotationParser.LockAnnotation;
import io.rowlock.leader.LeaderOnly;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers for native images what is read though no code says so: the annotations, what {@code #root} is in a key,
 * and the scripts of the tables. Types that a key expression goes through, such as that of {@code #order}, are the
 * application's.
 */
final class LockRuntimeHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        Stream.concat(LockAnnotation.MODES.keySet().stream(), Stream.of(OncePerCluster.class, LeaderOnly.class))
                .forEach(annotation ->
                        hints.reflection().registerType(annotation, MemberCategory.INVOKE_PUBLIC_METHODS));
        hints.reflection().registerType(KeyExpression.Root.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.resources().registerPattern("db/rowlock/mysql/*.sql");
    }
}
