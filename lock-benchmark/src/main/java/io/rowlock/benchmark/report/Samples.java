package io.rowlock.benchmark.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What was measured, value by value, in the order of the rounds. Used by one thread. */
public final class Samples {
    private static final List<String> FLOORS =
            List.of("raw-lease", "business-alone", "rowlock-client-call", "rowlock-lease", "rowlock-client-call-stub");

    /** Of these a ratio says something though no target asks for one. */
    private static final Set<String> COMPARED = Set.of(
            Units.PAIRS,
            Units.OPERATIONS,
            Units.PAIR_P99,
            Units.MICROS,
            Units.MICROS_FROM_CALL,
            Units.MILLIS,
            Units.CPU_MILLIS,
            Units.WRITER_WAIT,
            Units.STATEMENTS_A_PAIR,
            Units.STATEMENTS_A_TICK,
            Units.STATEMENTS_A_SECOND);

    private static final String STUB = "-stub";

    private final Map<Series, Map<String, List<Double>>> values = new LinkedHashMap<>();
    private final Set<String> order = new LinkedHashSet<>();

    private record Series(String workload, String unit) {}

    /**
     * @param contenders the order in which to show them, though they took turns; others come after them
     */
    public void showInOrder(List<String> contenders) {
        order.addAll(contenders);
    }

    /**
     * @param workload what had to be done
     * @param contender who did it
     * @param unit what is counted
     * @param value the value of the next round
     * @throws IllegalArgumentException if it is no number, as a quotient of nothing is: it would cost the results of all others
     */
    public void add(String workload, String contender, String unit, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("%s of %s in %s is %s".formatted(unit, contender, workload, value));
        }
        values.computeIfAbsent(new Series(workload, unit), series -> new LinkedHashMap<>())
                .computeIfAbsent(contender, name -> new ArrayList<>())
                .add(value);
    }

    /**
     * Forgets a contender that did not come through.
     *
     * @param workload what it could not do
     * @param contender who
     */
    public void remove(String workload, String contender) {
        values.forEach((series, contenders) -> {
            if (series.workload().equals(workload)) {
                contenders.remove(contender);
            }
        });
    }

    /**
     * @param targets what is to be reached; each comparison in it gets a line of its own
     * @return the results, in the order of measuring
     */
    public List<Result> results(List<Target> targets) {
        List<Result> results = new ArrayList<>();
        values.forEach((series, contenders) -> shown(contenders.keySet()).forEach(contender -> {
            List<Double> own = contenders.getOrDefault(contender, List.of());
            Set<String> references = references(series, contender, contenders.keySet(), targets);
            if (references.isEmpty()) {
                results.add(result(series, contender, own, null, null));
            }
            references.forEach(
                    reference -> results.add(result(series, contender, own, reference, contenders.get(reference))));
        }));
        return results;
    }

    private List<String> shown(Set<String> contenders) {
        List<String> shown = new ArrayList<>(order);
        shown.retainAll(contenders);
        contenders.stream().filter(contender -> !order.contains(contender)).forEach(shown::add);
        return shown;
    }

    private static Set<String> references(
            Series series, String contender, Set<String> contenders, List<Target> targets) {
        Set<String> references = new LinkedHashSet<>();
        FLOORS.stream()
                .filter(floor -> COMPARED.contains(series.unit()) && contenders.contains(floor))
                .filter(floor -> floor.endsWith(STUB) == contender.endsWith(STUB))
                .findFirst()
                .filter(floor -> !floor.equals(contender))
                .ifPresent(references::add);
        for (Target target : targets) {
            String reference = target.reference();
            if (reference != null
                    && target.isOf(series.workload(), series.unit())
                    && target.contender().equals(contender)
                    && contenders.contains(reference)) {
                references.add(reference);
            }
        }
        return references;
    }

    private static Result result(
            Series series,
            String contender,
            List<Double> own,
            @Nullable String reference,
            @Nullable List<Double> references) {
        Double ratio = references == null || !allPositive(references)
                ? null
                : (Double) rounded(Statistics.medianRatio(own, references));
        return new Result(
                series.workload(),
                contender,
                rounded(Statistics.median(own)),
                rounded(Collections.min(own)),
                rounded(Collections.max(own)),
                series.unit(),
                reference,
                ratio);
    }

    /** A multiple of nothing, or of less, says nothing. */
    private static boolean allPositive(List<Double> references) {
        return references.stream().allMatch(reference -> reference > 0);
    }

    /** Five digits say more than any of these measurements knows. */
    private static double rounded(double value) {
        return value == 0
                ? 0
                : new java.math.BigDecimal(value)
                        .round(new java.math.MathContext(5))
                        .doubleValue();
    }
}
