package io.rowlock.sample;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/** Explains a start that failed for want of a database. */
final class NoDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<CannotGetJdbcConnectionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, CannotGetJdbcConnectionException cause) {
        Throwable reason = cause.getCause() == null ? cause : cause.getCause();
        String message = String.valueOf(reason.getMessage()).lines().findFirst().orElse("");
        return new FailureAnalysis(
                "The sample has no database: " + message,
                "Let SPRING_DATASOURCE_URL name a MySQL or MariaDB that runs, such as "
                        + "'jdbc:mysql://127.0.0.1:3306/sample?user=root&password=secret&createDatabaseIfNotExist=true', "
                        + "or do not set it: then one is started, from Docker or embedded.",
                cause);
    }
}
