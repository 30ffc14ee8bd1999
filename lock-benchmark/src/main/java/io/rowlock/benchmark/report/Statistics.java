package io.rowlock.benchmark.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** The arithmetic of the results. */
public final class Statistics {
    private Statistics() {}

    /**
     * @param values at least one
     * @return the middle one; of an even number of values the mean of the two in the middle
     */
    public static double median(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("No values have no median");
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /**
     * @param values at least one
     * @param part which part of the values is at most as great as the answer, above 0 and up to 1
     * @return the least value for which that holds
     */
    public static double quantile(long[] values, double part) {
        if (values.length == 0 || !(part > 0 && part <= 1)) {
            throw new IllegalArgumentException("There is no quantile %s of %d values".formatted(part, values.length));
        }
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(part * sorted.length) - 1];
    }

    /**
     * The median of the ratios round by round, so that what slowed a whole round does not count. If the two took part in
     * different numbers of rounds, the ratio of their medians.
     *
     * @param values a contender's values, one a round
     * @param references those of the one it is compared with
     * @return how many times the reference it is
     */
    public static double medianRatio(List<Double> values, List<Double> references) {
        if (values.size() != references.size()) {
            return median(values) / median(references);
        }
        List<Double> ratios = new ArrayList<>(values.size());
        for (int round = 0; round < values.size(); round++) {
            ratios.add(values.get(round) / references.get(round));
        }
        return median(ratios);
    }

    /**
     * Jain's fairness index.
     *
     * @param shares what each got
     * @return 1 if all got the same, 1/n if one of n got everything; 1 if none got anything
     */
    public static double jain(Collection<Long> shares) {
        double sum = 0;
        double squares = 0;
        for (double share : shares) {
            sum += share;
            squares += share * share;
        }
        return squares == 0 ? 1 : sum * sum / (shares.size() * squares);
    }
}
