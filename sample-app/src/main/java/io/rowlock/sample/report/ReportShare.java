package io.rowlock.sample.report;

import java.util.Collections;
import java.util.List;

/**
 * The reports of a batch that one node renders.
 *
 * @param batchId the batch
 * @param reports how many they are
 * @param permits how many may be rendered at a time, on all nodes together
 * @param lock whether each is rendered with a permit of the semaphore
 */
record ReportShare(long batchId, int reports, int permits, boolean lock) {

    /**
     * What came of them.
     *
     * @param renderings how it ended for each
     * @param sql what was sent to the database for one of them, in order
     */
    record Done(List<Rendering> renderings, List<String> sql) {

        static Done lost(int reports) {
            return new Done(Collections.nCopies(reports, Rendering.FAILED), List.of());
        }
    }
}
