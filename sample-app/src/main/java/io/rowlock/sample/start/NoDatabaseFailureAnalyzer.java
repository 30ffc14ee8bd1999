package io.rowlock.sample.start;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start that failed for want of a database. */
final class NoDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<NoDatabaseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, NoDatabaseException cause) {
        return new FailureAnalysis(
                "The sample has no database: %s.".formatted(cause.getMessage()),
                "Let SPRING_DATASOURCE_URL name a MySQL or MariaDB that runs, such as "
                        + "'jdbc:mysql://127.0.0.1:3306/sample?user=root&password=secret&createDatabaseIfNotExist=true', "
                        + "or do not set it: then a MariaDB is started.",
                cause);
    }
}
