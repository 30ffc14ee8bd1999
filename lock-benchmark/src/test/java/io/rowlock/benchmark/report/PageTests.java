package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PageTests {
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
        assertThat(page(List.of()).targetTable().lines().skip(2))
                .containsExactly(
                        "| work | rowlock-lease | pairs/s | ≥ 0.9 × raw-lease | 0.95 × | yes |",
                        "| work | rowlock-lease | pairs/s | ≥ 2,000 pairs/s | 1,234 | **no** |",
                        "| other | rowlock-lease | pairs/s | ≥ 1 pairs/s | – | not measured |");
    }

    @Test
    void thePageHasEveryFigureTheConditionsAndNoPlaceholderLeft() {
        assertThat(page(List.of()).text())
                .contains("### `work`")
                .contains("| rowlock-lease | pairs/s | 1,234 | 1,000 | 1,500 | 0.95 | raw-lease |")
                .contains("| Cores | 2 |")
                .contains("Nothing was left out and nothing failed.")
                .doesNotContain("{{");
    }

    @Test
    void thePageSaysWhatWasLeftOut() {
        assertThat(page(List.of("No Redis.")).text())
                .contains("\n- No Redis.\n")
                .doesNotContain("Nothing was left out");
    }
}
