package io.rowlock.sample.report;

import io.rowlock.sample.work.Span;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

/** The rows of a batch of reports, before it starts and after it has ended. */
@Repository
@Profile("!node")
class ReportBooks {

    private final JdbcClient database;

    ReportBooks(JdbcClient database) {
        this.database = database;
    }

    /** Adds a batch and returns its id. Each batch has a semaphore of its own, so that batches do not meet. */
    long addBatch(int reports) {
        KeyHolder id = new GeneratedKeyHolder();
        database.sql("INSERT INTO sample_batch (reports) VALUES (?)")
                .param(reports)
                .update(id);
        return Objects.requireNonNull(id.getKey()).longValue();
    }

    /** From when to when each report was rendered, by the database's clock. One that was never finished has no end. */
    List<Span> renderings(long batchId) {
        return database.sql("""
                        SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', begun_at) AS `start`,
                               TIMESTAMPDIFF(MICROSECOND, '1970-01-01', done_at) AS `end`
                        FROM sample_report
                        WHERE batch_id = ? AND done_at IS NOT NULL
                        """).param(batchId).query(Span.class).list();
    }

    Map<String, Integer> renderedByNode(long batchId) {
        Map<String, Integer> rendered = new LinkedHashMap<>();
        database.sql("""
                        SELECT node, COUNT(*)
                        FROM sample_report
                        WHERE batch_id = ? AND done_at IS NOT NULL
                        GROUP BY node
                        ORDER BY node
                        """).param(batchId).query(row -> {
            rendered.put(row.getString(1), row.getInt(2));
        });
        return rendered;
    }
}
