package io.rowlock.benchmark.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
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

    /** Known causes of missed targets: the pattern of a target, two blanks and the cause. */
    private static final String CAUSES = "causes.txt";

    /** A figure of the run: workload, contender and unit; behind {@code to} the contender that it is a multiple of. */
    private static final Pattern FIGURE = Pattern.compile("\\{(\\S+) (\\S+) ([^}]+?)(?: to ([^\\s}]+))?}");

    private static final Pattern SENTENCE = Pattern.compile("(?<=[.]) ");
    private static final String NOT_MEASURED = "–";
    private static final String UNKNOWN = "Not known.";

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
        return resource(TEMPLATE)
                .replace("{{results}}", resultTable())
                .replace("{{missed}}", missedTable())
                .replace("{{environment}}", environmentTable())
                .replace("{{incidents}}", incidentList());
    }

    private static String resource(String name) {
        try (InputStream file = Page.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException(name + " is not on the class path");
            }
            return new String(file.readAllBytes(), UTF_8);
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

    /** @return the targets that are missed, and why, as far as the run shows it */
    public String missedTable() {
        Map<String, List<String>> missed = new LinkedHashMap<>();
        for (Target target : targets) {
            target.measured(results)
                    .filter(value -> !target.isReachedBy(value))
                    .ifPresent(value -> missed.computeIfAbsent(cause(target), cause -> new ArrayList<>())
                            .add(missed(target, value)));
        }
        return missed.entrySet().stream()
                .map(each -> "| %s | %s |".formatted(String.join("<br>", each.getValue()), each.getKey()))
                .collect(Collectors.joining("\n", "| Missed | Cause |\n|---|---|\n", ""));
    }

    private static String missed(Target target, double value) {
        String of = target.reference() == null ? target.unit() : "× " + target.reference();
        return "%s %s: %s %s, %s"
                .formatted(target.workload(), target.contender(), Numbers.text(value), of, target.limitText());
    }

    private String cause(Target target) {
        String text = causes().filter(line -> target.name().matches(line[0]))
                .findFirst()
                .map(line -> shown(line[1]))
                .orElse("");
        return text.isEmpty() ? UNKNOWN : text;
    }

    /** The patterns of targets, and what is known of them. */
    static Stream<String[]> causes() {
        return resource(CAUSES).lines().filter(line -> !line.startsWith("#")).map(line -> line.split(" {2,}", 2));
    }

    /** The sentences of a cause whose figures this run has. */
    private String shown(String cause) {
        return SENTENCE.splitAsStream(cause)
                .map(sentence -> FIGURE.matcher(sentence).replaceAll(this::figure))
                .filter(sentence -> !sentence.contains(NOT_MEASURED))
                .collect(Collectors.joining(" "));
    }

    private String figure(MatchResult figure) {
        Optional<Double> own = value(figure.group(1), figure.group(2), figure.group(3));
        if (figure.group(4) == null) {
            return own.map(Numbers::text).orElse(NOT_MEASURED);
        }
        Optional<Double> other = value(figure.group(1), figure.group(4), figure.group(3));
        return ratio(figure)
                .or(() -> own.flatMap(one -> other.map(two -> one / two)))
                .map(Numbers::text)
                .orElse(NOT_MEASURED);
    }

    private Optional<Double> ratio(MatchResult figure) {
        return results.stream()
                .filter(result -> result.isOf(figure.group(1), figure.group(2), figure.group(3)))
                .filter(result -> figure.group(4).equals(result.ratioTo()))
                .flatMap(result -> Optional.ofNullable(result.ratio()).stream())
                .findFirst();
    }

    private Optional<Double> value(String workload, String contender, String unit) {
        return results.stream()
                .filter(result -> result.isOf(workload, contender, unit))
                .findFirst()
                .map(Result::median);
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
            return medians.stream().allMatch(NOT_MEASURED::equals)
                    ? Stream.empty()
                    : Stream.of("| %s | %s | %s |".formatted(workload, unit, String.join(" | ", medians)));
        });
    }

    private String median(String workload, String unit, String contender) {
        return value(workload, contender, unit).map(Numbers::text).orElse(NOT_MEASURED);
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
