package io.rowlock.sample.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The result of a batch of reports, counted from rows.
 *
 * @param batchId the batch; its semaphore was {@code report:} and this number
 * @param permits the permits of the semaphore
 * @param rendered the reports that were rendered, as their rows have it
 * @param atOnce the most reports that were rendered at the same time, by the times in their rows
 * @param gaveUp the reports that did not get a permit in time
 * @param failed the reports that met a failing database or a permit that was lost
 * @param renderedBy the reports that each node rendered
 * @param sql the statements that were sent to the database for one report, in order
 */
record ReportResult(
        long batchId,
        int permits,
        boolean lock,
        int rendered,
        int atOnce,
        int gaveUp,
        int failed,
        Map<String, Integer> renderedBy,
        Duration duration,
        List<String> sql) {}
