package io.rowlock.benchmark.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The page about one run, from a template with its fixed words.
 *
 * @param results all results
 * @param targets what is to be reached
 * @param environment what is stated beside them
 * @param incidents what was left out or went wrong
 */
public record Page(
        List<Result> results, List<Target> targets, Map<String, String> environment, List<String> incidents) {
    private static final String TEMPLATE = "benchmark.md";

    /** The contenders of the page; all others are in the files of the results. */
    private static final List<String> SHOWN = List.of(
            "rowlock-lease-logged",
            "rowlock-lease",
            "rowlock-row-lock-fenced",
            "rowlock-row-lock",
            "rowlock-redis",
            "shedlock",
            "spring-integration-jdbc",
            "redisson");

    /** A figure that is shown of a workload. */
    private static final List<String> UNITS = List.of(
            Units.PAIRS,
            Units.HANDOFFS,
            Units.MICROS,
            Units.OPERATIONS,
            Units.MILLIS,
            Units.KEYS,
            Units.STATEMENTS_A_SECOND);

    /** @return the page as Markdown */
    public String text() {
        return template()
                .replace("{{results}}", resultTable())
                .replace("{{environment}}", environmentTable())
                .replace("{{incidents}}", incidentList());
    }

    private static String template() {
        try (InputStream template = Page.class.getResourceAsStream(TEMPLATE)) {
            if (template == null) {
                throw new IllegalStateException(TEMPLATE + " is not on the class path");
            }
            return new String(template.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return the targets with what was measured, as comma-separated values */
    public String targetTable() {
        return targets.stream()
                .map(this::row)
                .collect(Collectors.joining("\n", "workload,contender,unit,to reach,measured,reached\n", "\n"));
    }

    private String row(Target target) {
        Optional<Double> measured = target.measured(results);
        String outcome =
                measured.map(value -> target.isReachedBy(value) ? "yes" : "no").orElse("not measured");
        return "%s,%s,%s,\"%s\",\"%s\",%s"
                .formatted(
                        target.workload(),
                        target.contender(),
                        target.unit(),
                        target.goal(),
                        measured.map(value -> measured(target, value)).orElse(""),
                        outcome);
    }

    private static String measured(Target target, double value) {
        return target.reference() == null ? Numbers.text(value) : Numbers.text(value) + " ×";
    }

    /** @return the medians, a row for each workload and unit */
    public String resultTable() {
        List<String> shown = SHOWN.stream()
                .filter(contender ->
                        results.stream().anyMatch(result -> result.contender().equals(contender)))
                .toList();
        String header = "| Workload | Unit | `" + String.join("` | `", shown) + "` |\n|---|---|"
                + "---:|".repeat(shown.size()) + "\n";
        return results.stream()
                .map(Result::workload)
                .distinct()
                .flatMap(workload -> rows(workload, shown))
                .collect(Collectors.joining("\n", header, ""));
    }

    private Stream<String> rows(String workload, List<String> shown) {
        return UNITS.stream().flatMap(unit -> {
            List<String> medians = shown.stream()
                    .map(contender -> median(workload, unit, contender))
                    .toList();
            return medians.stream().allMatch("–"::equals)
                    ? Stream.empty()
                    : Stream.of("| %s | %s | %s |".formatted(workload, unit, String.join(" | ", medians)));
        });
    }

    private String median(String workload, String unit, String contender) {
        return results.stream()
                .filter(result -> result.workload().equals(workload)
                        && result.unit().equals(unit)
                        && result.contender().equals(contender))
                .findFirst()
                .map(result -> Numbers.text(result.median()))
                .orElse("–");
    }

    private String environmentTable() {
        return environment.entrySet().stream()
                .map(fact -> "| %s | %s |".formatted(fact.getKey(), fact.getValue()))
                .collect(Collectors.joining("\n", "| | |\n|---|---|\n", ""));
    }

    private String incidentList() {
        return incidents.isEmpty()
                ? "Nothing was left out, and nothing failed."
                : incidents.stream().map(incident -> "- " + incident).collect(Collectors.joining("\n"));
    }
}
