package io.rowlock.benchmark.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

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

    /** @return the page as Markdown */
    public String text() {
        return template()
                .replace("{{targets}}", targetTable())
                .replace("{{results}}", resultTables())
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

    /** @return the targets with what was measured, as a table */
    public String targetTable() {
        return targets.stream()
                .map(this::row)
                .collect(Collectors.joining(
                        "\n",
                        "| Workload | Contender | Unit | To reach | Measured | Reached |\n|---|---|---|---|---|---|\n",
                        ""));
    }

    private String row(Target target) {
        Optional<Double> measured = target.measured(results);
        String outcome = measured.map(value -> target.isReachedBy(value) ? "yes" : "**no**")
                .orElse("not measured");
        return "| %s | %s | %s | %s | %s | %s |"
                .formatted(
                        target.workload(),
                        target.contender(),
                        target.unit(),
                        target.goal(),
                        measured.map(value -> measured(target, value)).orElse("–"),
                        outcome);
    }

    private static String measured(Target target, double value) {
        return target.reference() == null ? Numbers.text(value) : Numbers.text(value) + " ×";
    }

    /** @return all results, a table for each workload */
    public String resultTables() {
        return results.stream()
                .collect(Collectors.groupingBy(Result::workload, LinkedHashMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(workload -> "### `" + workload.getKey() + "`\n\n" + resultTable(workload.getValue()))
                .collect(Collectors.joining("\n\n"));
    }

    private static String resultTable(List<Result> results) {
        return results.stream()
                .map(Page::row)
                .collect(Collectors.joining(
                        "\n",
                        "| Contender | Unit | Median | Least | Greatest | Ratio | to |\n|---|---|---:|---:|---:|---:|---|\n",
                        ""));
    }

    private static String row(Result result) {
        Double ratio = result.ratio();
        return "| %s | %s | %s | %s | %s | %s | %s |"
                .formatted(
                        result.contender(),
                        result.unit(),
                        Numbers.text(result.median()),
                        Numbers.text(result.min()),
                        Numbers.text(result.max()),
                        ratio == null ? "" : Numbers.text(ratio),
                        Optional.ofNullable(result.ratioTo()).orElse(""));
    }

    private String environmentTable() {
        return environment.entrySet().stream()
                .map(fact -> "| %s | %s |".formatted(fact.getKey(), fact.getValue()))
                .collect(Collectors.joining("\n", "| | |\n|---|---|\n", ""));
    }

    private String incidentList() {
        return incidents.isEmpty()
                ? "Nothing was left out and nothing failed."
                : incidents.stream().map(incident -> "- " + incident).collect(Collectors.joining("\n"));
    }
}
