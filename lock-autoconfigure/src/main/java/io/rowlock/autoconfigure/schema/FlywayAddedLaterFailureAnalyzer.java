package io.rowlock.autoconfigure.schema;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * Explains why the application's own Flyway refuses a schema in which only Rowlock has tables so far. Flyway's
 * exception is known by name, since Flyway need not be on the class path.
 */
final class FlywayAddedLaterFailureAnalyzer implements FailureAnalyzer {
    private static final String FLYWAY_EXCEPTION = "org.flywaydb.core.api.FlywayException";

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (isRefusal(cause)) {
                return analysis(cause);
            }
        }
        return null;
    }

    private static boolean isRefusal(Throwable cause) {
        String message = cause.getMessage();
        return cause.getClass().getName().equals(FLYWAY_EXCEPTION)
                && message != null
                && message.contains("non-empty schema")
                && message.contains("no schema history table");
    }

    private static FailureAnalysis analysis(Throwable cause) {
        return new FailureAnalysis(
                "Flyway refuses to migrate the application's schema: " + cause.getMessage() + System.lineSeparator()
                        + "Rowlock created its tables there before the application had migrations of its own.",
                "If the schema has no other tables than Rowlock's, set spring.flyway.baseline-on-migrate=true and "
                        + "spring.flyway.baseline-version=0: then all of the application's migrations run. "
                        + "If it has others, choose the baseline version that matches them.",
                cause);
    }
}
