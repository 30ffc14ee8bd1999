package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.Printable;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;

/** The driver's own error inside those of pools and Flyway, which wrap it. */
public final class DriverError {
    private DriverError() {}

    /**
     * Finds the driver's error.
     *
     * @param failure what a pool, Flyway or a store failed with
     * @return the innermost error of SQL, or null if there is none
     */
    public static @Nullable SQLException of(Throwable failure) {
        return causes(failure)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .reduce((outer, inner) -> inner)
                .orElse(null);
    }

    /**
     * Returns a failure and what caused it.
     *
     * @param failure the failure
     * @return it, its cause, and so on
     */
    public static Stream<Throwable> causes(Throwable failure) {
        return Stream.<@Nullable Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .map(Objects::requireNonNull);
    }

    /**
     * Looks for a kind of exception.
     *
     * @param failure what failed
     * @param kind the class of the exception
     * @return whether it is the failure, or one of its causes
     */
    public static boolean hasCause(Throwable failure, Class<? extends Throwable> kind) {
        return causes(failure).anyMatch(kind::isInstance);
    }

    /**
     * An error in one line, with what caused it: drivers say in several lines that a link failed, and leave the reason to the
     * cause.
     *
     * @param error the error
     * @return its first line and its innermost cause
     */
    public static String text(Throwable error) {
        String first = String.valueOf(error.getMessage()).lines().findFirst().orElse("");
        Throwable root = NestedExceptionUtils.getMostSpecificCause(error);
        return Printable.of(
                root == error
                        ? first
                        : "%s (%s: %s)".formatted(first, root.getClass().getSimpleName(), root.getMessage()));
    }
}
