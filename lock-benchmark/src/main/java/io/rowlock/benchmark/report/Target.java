package io.rowlock.benchmark.report;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is to be reached: a ratio to another contender measured in the same run or, without one, a figure.
 *
 * @param workload the workload
 * @param unit which of its figures
 * @param contender whose
 * @param reference compared with whom, or null for the figure itself
 * @param bound at least or at most
 * @param limit the ratio, or the figure
 */
public record Target(
        String workload,
        String unit,
        String contender,
        @Nullable String reference,
        Bound bound,
        double limit) {

    /** Which side of the limit is good. */
    public enum Bound {
        AT_LEAST("≥"),
        AT_MOST("≤"),
        BELOW("<");

        private final String sign;

        Bound(String sign) {
            this.sign = sign;
        }

        boolean admits(double value, double limit) {
            return switch (this) {
                case AT_LEAST -> value >= limit;
                case AT_MOST -> value <= limit;
                case BELOW -> value < limit;
            };
        }
    }

    boolean isOf(String someWorkload, String someUnit) {
        return workload.equals(someWorkload) && unit.equals(someUnit);
    }

    /**
     * @param results all results
     * @return the ratio or figure this target is about, if it was measured
     */
    public Optional<Double> measured(List<Result> results) {
        return results.stream()
                .filter(result -> isOf(result.workload(), result.unit())
                        && result.contender().equals(contender)
                        && (reference == null || reference.equals(result.ratioTo())))
                .findFirst()
                .flatMap(result ->
                        reference == null ? Optional.of(result.median()) : Optional.ofNullable(result.ratio()));
    }

    /**
     * @param value what was measured
     * @return whether that reaches this target
     */
    public boolean isReachedBy(double value) {
        return bound.admits(value, limit);
    }

    /** Returns the name by which a cause of missing it is found. */
    String name() {
        return workload + " " + contender + " " + (reference == null ? unit : reference);
    }

    String limitText() {
        return bound.sign + " " + Numbers.text(limit);
    }

    /** @return the goal, for people to read */
    public String goal() {
        String figure = limitText();
        return reference == null ? figure + " " + unit : figure + " × " + reference;
    }
}
