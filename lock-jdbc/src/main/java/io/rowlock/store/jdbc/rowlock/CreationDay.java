package io.rowlock.store.jdbc.rowlock;

import java.time.Duration;

/**
 * The day on which a row was created. Column {@code gate} has it, of all rows but gates. Rows are locked and never written, so no
 * column can have the day of their last use.
 *
 * <p>It is a number from 2 to 121 that comes again every 120 days, and never 1, which marks a gate. What is neither comes from a
 * version that did not note the day, and counts as old.
 */
final class CreationDay {
    /** By the server's clock, in UTC. */
    static final String TODAY = "2 + MOD(TO_DAYS(UTC_DATE()), 120)";

    /** Its parameter is a number of days. */
    static final String IS_OLDER = "(gate NOT BETWEEN 2 AND 121 OR MOD(TO_DAYS(UTC_DATE()) - gate + 2, 120) > ?)";

    /** A row that is older for some weeks is still seen to be. */
    private static final long MOST_DAYS = 100;

    private CreationDay() {}

    /** The whole days for which rows are kept at least. */
    static int days(Duration keep) {
        long full = keep.toDays();
        long days = keep.equals(Duration.ofDays(full)) ? full : full + 1;
        return Math.toIntExact(Math.max(1, Math.min(days, MOST_DAYS)));
    }
}
