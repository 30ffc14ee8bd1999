package io.rowlock.autoconfigure.diagnostics;

import io.rowlock.LockStoreException;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start-up that failed because the lock tables could not be asked. */
final class LockStoreFailureAnalyzer extends AbstractFailureAnalyzer<LockStoreException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockStoreException cause) {
        return new FailureAnalysis(
                "Locks cannot be taken: " + cause.getMessage(),
                action(cause) + " To start without locks, set rowlock.enabled to false.",
                cause);
    }

    /** Its driver is not always on the class path. */
    private static boolean isOfRedis(LockStoreException failure) {
        return Stream.<@Nullable Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause -> cause.getClass().getName().startsWith("io.lettuce."));
    }

    private static String action(LockStoreException failure) {
        SQLException error = DriverError.of(failure);
        if (error == null && isOfRedis(failure)) {
            return "Make sure that Redis is reachable and takes writes (spring.data.redis.*), and that its user has the rights"
                    + " docs/strategies.md lists.";
        }
        return switch (error == null ? SqlFailure.OTHER : SqlFailure.of(error)) {
            case NO_RIGHTS ->
                "Grant the database user SELECT, INSERT, UPDATE and DELETE on Rowlock's tables, and what docs/operations.md lists for it.";
            case READ_ONLY ->
                "Point the DataSource, or one for locks named \"rowlockDataSource\", at the server that takes writes.";
            case NO_TABLE ->
                "Let Rowlock create its tables (rowlock.schema.initialize=always), or run the scripts of db/rowlock/mysql.";
            default ->
                "Make sure that the database is reachable and writable, and that rowlock.pool.connection-timeout is long enough to open a connection.";
        };
    }
}
