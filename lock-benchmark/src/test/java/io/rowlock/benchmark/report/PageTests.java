package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class PageTests {
    private static final List<String> WORKLOADS = List.of(
            "uncontended-1",
            "uncontended-8",
            "uncontended-32",
            "uncontended-128",
            "contended-one-process",
            "handoff",
            "readwrite",
            "renewal-2000",
            "transaction-8",
            "annotation",
            "startup",
            "new-keys-1",
            "new-keys-8",
            "new-keys-32",
            "clean-up",
            "memory",
            "waiting-load");

    private static final Target REACHED =
            new Target("work", Units.PAIRS, "rowlock-lease", "raw-lease", Target.Bound.AT_LEAST, 0.9);
    private static final Target MISSED =
            new Target("work", Units.PAIRS, "rowlock-lease", null, Target.Bound.AT_LEAST, 2000);
    private static final Target UNKNOWN =
            new Target("other", Units.PAIRS, "rowlock-lease", null, Target.Bound.AT_LEAST, 1);
    private static final Result RESULT =
            new Result("work", "rowlock-lease", 1234, 1000, 1500, Units.PAIRS, "raw-lease", 0.95);

    private static Page page(List<String> incidents) {
        return new Page(List.of(RESULT), List.of(REACHED, MISSED, UNKNOWN), Map.of("Cores", "2"), incidents);
    }

    @Test
    void aTargetSaysWhetherItWasReached() {
        assertThat(page(List.of()).targetTable().lines().skip(1))
                .containsExactly(
                        "work,rowlock-lease,pairs/s,\"≥ 0.9 × raw-lease\",\"0.95 ×\",yes",
                        "work,rowlock-lease,pairs/s,\"≥ 2,000 pairs/s\",\"1,234\",no",
                        "other,rowlock-lease,pairs/s,\"≥ 1 pairs/s\",\"\",not measured");
    }

    @Test
    void thePageHasTheMediansTheConditionsAndNoPlaceholderLeft() {
        assertThat(page(List.of()).text())
                .contains("| work | pairs/s | 1,234 |")
                .contains("| Cores | 2 |")
                .contains("Nothing was left out, and nothing failed.")
                .doesNotContain("{{");
    }

    /** {@code -Drowlock.test.page=write} writes the targets, which may change between two runs. */
    @Test
    void thePageOfTheProjectHasTheFiguresOfTheProject() throws IOException {
        JsonMapper mapper = JsonMapper.builder().build();
        List<Result> results = new ArrayList<>();
        for (String workload : WORKLOADS) {
            Path file = Path.of("results", workload + ".json");
            if (Files.exists(file)) {
                results.addAll(List.of(mapper.readValue(file.toFile(), Result[].class)));
            }
        }
        Page page = new Page(results, Targets.all(), Map.of(), List.of());
        Path file = Path.of("..", "docs", "internals", "benchmark.md");
        if ("write".equals(System.getProperty("rowlock.test.page"))) {
            Files.writeString(Path.of("results", "targets.csv"), page.targetTable());
            String table = Matcher.quoteReplacement(page.missedTable());
            Files.writeString(file, Files.readString(file).replaceFirst("\\| Missed (?:.+\n)+.+", table));
        }
        assertThat(Files.readString(file)).contains(page.resultTable()).contains(page.missedTable());
        assertThat(Files.readString(Path.of("results", "targets.csv"))).isEqualTo(page.targetTable());
    }

    @Test
    void aMissedTargetHasItsCauseWithTheFiguresOfTheRun() {
        Target target =
                new Target("uncontended-1", Units.PAIRS, "rowlock-lease", "raw-lease", Target.Bound.AT_LEAST, 0.92);
        Result missed = new Result("uncontended-1", "rowlock-lease", 80, 70, 90, Units.PAIRS, "raw-lease", 0.8);
        Result bare = new Result("uncontended-1", "rowlock-lease-bare", 90, 80, 95, Units.PAIRS, "raw-lease", 0.93);
        Result eight = new Result("uncontended-8", "rowlock-lease-bare", 90, 80, 95, Units.PAIRS, null, null);
        Result raw = new Result("uncontended-8", "raw-lease", 100, 90, 110, Units.PAIRS, null, null);
        assertThat(missedTable(target, missed, bare, eight, raw))
                .endsWith(
                        "| uncontended-1 rowlock-lease: 0.8 × raw-lease, ≥ 0.92"
                                + " | The lock log and the client. Without log and events 0.93 with one thread, 0.9 with eight. |");
        assertThat(missedTable(target, missed)).endsWith("| The lock log and the client. |");
        assertThat(missedTable(UNKNOWN, new Result("other", "rowlock-lease", 0.5, 0, 1, Units.PAIRS, null, null)))
                .endsWith("| other rowlock-lease: 0.5 pairs/s, ≥ 1 | Not known. |");
        assertThat(missedTable(REACHED, RESULT)).doesNotContain("work");
    }

    private static String missedTable(Target target, Result... results) {
        return new Page(List.of(results), List.of(target), Map.of(), List.of()).missedTable();
    }

    @Test
    void eachCauseIsThatOfATarget() {
        assertThat(Page.causes())
                .allSatisfy(cause -> assertThat(Targets.all())
                        .as(cause[0])
                        .anyMatch(target -> target.name().matches(cause[0])));
    }

    @Test
    void thePageSaysWhatWasLeftOut() {
        assertThat(page(List.of("No Redis.")).text())
                .contains("\n- No Redis.\n")
                .doesNotContain("Nothing was left out");
    }
}
