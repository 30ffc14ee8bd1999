package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        assertThat(Files.readString(Path.of("..", "docs", "internals", "benchmark.md")))
                .contains(page.resultTable());
        if ("write".equals(System.getProperty("rowlock.test.page"))) {
            Files.writeString(Path.of("results", "targets.csv"), page.targetTable());
        } else {
            assertThat(Files.readString(Path.of("results", "targets.csv"))).isEqualTo(page.targetTable());
        }
    }

    @Test
    void thePageSaysWhatWasLeftOut() {
        assertThat(page(List.of("No Redis.")).text())
                .contains("\n- No Redis.\n")
                .doesNotContain("Nothing was left out");
    }
}
