package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.LockClient;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.client.RowlockClient;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains why the application cannot start. Before Spring Boot's own analysis of a missing bean, which knows nothing of databases. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class RowlockFailureAnalyzer implements FailureAnalyzer {
    private static final Set<Class<?>> OURS = Set.of(LockClient.class, RowlockClient.class);

    /** Known by name, since Flyway need not be on the class path. */
    private static final String FLYWAY_EXCEPTION = "org.flywaydb.core.api.FlywayException";

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        return DriverError.causes(failure)
                .map(RowlockFailureAnalyzer::explain)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable FailureAnalysis explain(Throwable cause) {
        if (cause instanceof RowlockSetupException setup) {
            return new FailureAnalysis(setup.getMessage(), setup.action(), setup);
        }
        if (cause instanceof LockStoreException outage) {
            return new FailureAnalysis(
                    "Locks cannot be acquired: " + outage.getMessage(),
                    "Make sure that the database or Redis can be reached in time and accepts writes, and that its user has the rights"
                            + " https://github.com/rowlock/rowlock/blob/main/docs/operations.md#database-rights lists (redis.md#what-the-server-must-allow for Redis)."
                            + " To start without locks, set rowlock.enabled to false.",
                    outage);
        }
        if (cause instanceof InvalidLockAnnotationException annotation) {
            return new FailureAnalysis(
                    "A lock annotation cannot be used: " + annotation.getMessage(),
                    annotation
                            .remedy()
                            .orElse(
                                    "Correct the annotation, the properties rowlock.locks of its name, which win over it, or the method. Nothing has been locked."),
                    annotation);
        }
        if (cause instanceof NoSuchBeanDefinitionException missing) {
            return noLockClient(missing);
        }
        return cause.getClass().getName().equals(FLYWAY_EXCEPTION) ? flywayAddedLater(cause) : null;
    }

    private static @Nullable FailureAnalysis noLockClient(NoSuchBeanDefinitionException missing) {
        Class<?> wanted = missing.getBeanType();
        if (wanted == null || !OURS.contains(wanted) || missing instanceof NoUniqueBeanDefinitionException) {
            return null;
        }
        return new FailureAnalysis(
                "A bean needs a " + wanted.getSimpleName()
                        + ", but there is none: there is no DataSource or Redis to keep locks in, or rowlock.enabled is false.",
                "Give the application a DataSource of MySQL or MariaDB (spring.datasource.url and the driver), or for strategy"
                        + " redis the dependency io.rowlock:rowlock-redis-spring-boot-starter, declare a LockStore or LockClient bean, or, where locks are switched off on purpose, inject an"
                        + " ObjectProvider<LockClient>.",
                missing);
    }

    /** The application's own Flyway refuses a schema in which only Rowlock has tables so far. */
    private static @Nullable FailureAnalysis flywayAddedLater(Throwable refusal) {
        String message = String.valueOf(refusal.getMessage());
        if (!message.contains("non-empty schema") || !message.contains("no schema history table")) {
            return null;
        }
        return new FailureAnalysis(
                "Flyway refuses to migrate the application's schema: " + Printable.of(message) + System.lineSeparator()
                        + "Rowlock created its tables there before the application had migrations of its own.",
                "If the schema has no other tables than Rowlock's, set spring.flyway.baseline-on-migrate=true and "
                        + "spring.flyway.baseline-version=0: then all of the application's migrations run. "
                        + "If it has others, choose the baseline version that matches them.",
                refusal);
    }
}
