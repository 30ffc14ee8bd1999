package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.Printable;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

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
        SQLException deepest = null;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException error) {
                deepest = error;
            }
        }
        return deepest;
    }

    /**
     * Looks for a kind of exception.
     *
     * @param failure what failed
     * @param kind the class of the exception
     * @return whether it is the failure, or one of its causes
     */
    public static boolean hasCause(Throwable failure, Class<? extends Throwable> kind) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (kind.isInstance(cause)) {
                return true;
            }
        }
        return false;
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
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return Printable.of(
                root == error
                        ? first
                        : "%s (%s: %s)".formatted(first, root.getClass().getSimpleName(), root.getMessage()));
    }
}
