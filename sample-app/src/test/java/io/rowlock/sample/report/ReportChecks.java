package io.rowlock.sample.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.Sample;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the reports show. */
public interface ReportChecks extends Sample {
    /** How many other reports of the batch were being rendered when one was begun, itself included, by their rows. */
    String MOST_AT_ONCE = """
            SELECT MAX((SELECT COUNT(*) FROM sample_report other
                        WHERE other.batch_id = one.batch_id AND other.begun_at <= one.begun_at AND one.begun_at < other.done_at))
            FROM sample_report one
            WHERE batch_id = ?
            """;

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    default void rendersTogetherAndNeverMoreThanThePermitsAdmit(int permits) {
        ReportResult batch = render("reports=30&lock=true&permits=" + permits);
        assertThat(batch.gaveUp() + batch.failed()).isZero();
        assertThat(batch.rendered()).isEqualTo(30);
        assertThat(batch.renderedBy()).containsOnlyKeys("node-1", "node-2", "node-3");
        assertThat(batch.atOnce()).isBetween(2, permits).isEqualTo((int) number(MOST_AT_ONCE, batch.batchId()));
        assertThat(batch.duration()).isPositive();
    }

    @Test
    default void rendersMoreThanThatWithoutTheSemaphore() {
        List<ReportResult> batches = IntStream.range(0, 3)
                .mapToObj(run -> render("reports=30&lock=false"))
                .toList();
        assertThat(batches).allMatch(batch -> batch.rendered() == 30 && batch.failed() == 0);
        assertThat(batches).anyMatch(batch -> batch.atOnce() > 5);
    }

    @Test
    default void showsTheSqlOfOneReportInItsOrder() {
        ReportResult batch = render("reports=3&nodes=1");
        assertThat(batch.sql().stream().map(statement -> statement.replaceAll(" (\\(|SET |WHERE ).*", "")))
                .containsSubsequence(
                        "INSERT INTO rowlock_lock",
                        "INSERT INTO sample_report",
                        "UPDATE sample_report",
                        "DELETE FROM rowlock_lock");
        String key = "'report:%d'".formatted(batch.batchId());
        assertThat(batch.sql()).anyMatch(statement -> statement.contains("permits) SELECT") && statement.contains(key));
    }

    private ReportResult render(String query) {
        return post("/report?" + query, ReportResult.class);
    }
}
