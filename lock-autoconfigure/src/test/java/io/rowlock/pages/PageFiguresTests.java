package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Figures of pages, in each language, are those of the last run of the benchmark. */
class PageFiguresTests {
    private static final Pattern TABLE = Pattern.compile("<!-- figures: ([^:]+): ([^:]+?) -->\n((?:\\|.*\n)+)");
    private static final Pattern FIGURE = Pattern.compile("<!--= (\\S+) (\\S+) (.+?) -->([\\d.,]*\\d)");

    private static final Map<String, String> UNITS =
            Map.of("handoff", "handoffs/s", "handoff trials", "trials in order of 12", "readwrite", "ops/s");

    @Test
    void tablesShowTheMedians() throws IOException {
        int tables = 0;
        for (Page page : Page.all()) {
            for (MatchResult found : TABLE.matcher(page.text()).results().toList()) {
                tables++;
                String[] workloads = found.group(1).split(", ", -1);
                String[] contenders = found.group(2).split(", ", -1);
                List<List<String>> rows =
                        found.group(3).lines().skip(2).map(Page::cells).toList();
                assertThat(rows).as("rows of %s", page).hasSameSizeAs(workloads);
                for (int row = 0; row < workloads.length; row++) {
                    String unit = UNITS.getOrDefault(workloads[row], "pairs/s");
                    String file = workloads[row].replace(" trials", "");
                    List<String> medians = Stream.of(contenders)
                            .map(contender -> figure(file, contender, unit))
                            .toList();
                    assertThat(rows.get(row).subList(1, rows.get(row).size()))
                            .as("%s: %s", page, workloads[row])
                            .isEqualTo(medians);
                }
            }
        }
        assertThat(tables).isPositive();
    }

    @Test
    void figuresInSentencesAreThoseOfTheRun() {
        int figures = 0;
        for (Page page : Page.all()) {
            for (MatchResult found : FIGURE.matcher(page.text()).results().toList()) {
                figures++;
                assertThat(found.group(4))
                        .as("%s: %s", page, found.group())
                        .isEqualTo(figure(found.group(1), found.group(2), found.group(3)));
            }
        }
        assertThat(figures).isPositive();
    }

    /** @param unit a unit, or a unit and {@code to CONTENDER}: the ratio to that one */
    private static String figure(String workload, String contender, String unit) {
        String[] parts = unit.split(" to ", -1);
        List<Map<String, Object>> all = JsonPath.read(results(workload), "$[*]");
        return all.stream()
                .filter(result -> result.get("contender").equals(contender)
                        && result.get("unit").equals(parts[0]))
                .filter(result -> parts.length == 1 || parts[1].equals(result.get("ratioTo")))
                .map(result -> parts.length == 1
                        ? "%,d".formatted(Math.round(((Number) result.get("median")).doubleValue()))
                        : String.format(Locale.ROOT, "%.2f", ((Number) result.get("ratio")).doubleValue()))
                .findFirst()
                .orElse("–");
    }

    private static String results(String workload) {
        try {
            return Files.readString(Page.ROOT.resolve("lock-benchmark/results/" + workload + ".json"));
        } catch (IOException ex) {
            throw new java.io.UncheckedIOException(ex);
        }
    }
}
