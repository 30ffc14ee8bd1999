package io.rowlock.sample.report;

import io.rowlock.sample.input.BadInputException;

/**
 * How to render a batch of reports.
 *
 * @param reports how many there are
 * @param permits how many may be rendered at a time, on all nodes together
 * @param nodes on how many nodes they are rendered
 * @param lock whether each is rendered with a permit of the semaphore
 */
record ReportOrder(int reports, int permits, int nodes, boolean lock) {

    private static final int MAX_REPORTS = 200;
    private static final int MAX_PERMITS = 100;

    ReportOrder {
        BadInputException.check("reports", reports, MAX_REPORTS);
        BadInputException.check("permits", permits, MAX_PERMITS);
    }
}
