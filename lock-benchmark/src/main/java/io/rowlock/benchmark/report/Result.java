package io.rowlock.benchmark.report;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import org.jspecify.annotations.Nullable;

/**
 * One line of the results.
 *
 * @param workload what had to be done
 * @param contender who did it
 * @param median the median of all rounds
 * @param min the least of all rounds
 * @param max the greatest of all rounds
 * @param unit what is counted
 * @param ratioTo the contender it is compared with, or null
 * @param ratio the median, over the rounds, of its value by that one's; null if {@code ratioTo} is or if it is unknown
 */
@JsonPropertyOrder({"workload", "contender", "median", "min", "max", "unit", "ratioTo", "ratio"})
public record Result(
        String workload,
        String contender,
        double median,
        double min,
        double max,
        String unit,
        @Nullable String ratioTo,
        @Nullable Double ratio) {

    boolean isOf(String someWorkload, String someContender, String someUnit) {
        return workload.equals(someWorkload) && contender.equals(someContender) && unit.equals(someUnit);
    }
}
