package io.rowlock.sample.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What came of a batch of reports.
 *
 * @param batchId the batch; its semaphore was {@code report:} and this number
 * @param reports how many reports were wanted
 * @param permits how many were allowed at a time
 * @param rendered how many reports were rendered, as their rows have it
 * @param atOnce how many were rendered at the same time at most, by the times in their rows
 * @param gaveUp how many did not get a permit in time
 * @param failed how many met a failing database or a permit that was lost
 * @param renderedBy how many reports each node rendered
 * @param sql what was sent to the database for one report, in order
 */
record ReportResult(
        long batchId,
        int reports,
        int permits,
        int nodes,
        boolean lock,
        int rendered,
        int atOnce,
        int gaveUp,
        int failed,
        Map<String, Integer> renderedBy,
        Duration duration,
        List<String> sql) {}
