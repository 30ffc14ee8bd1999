package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Figures of pages, in each language, are those of the last run of the benchmark, or of the page about verification. With
 * {@code -Dpages.write=true} they are written into the pages.
 */
class PageFiguresTests {
    private static final Pattern TABLE =
            Pattern.compile("<!-- figures: ([^:]+): ([^:]+?) -->\n\\|.*\n\\|.*\n((?:\\|.*\n)+)");
    private static final Pattern FIGURE = Pattern.compile("<!--= (\\S+) (\\S+) (.+?) -->([\\d.,]*\\d)");

    private static final Pattern LIBRARIES =
            Pattern.compile("<!-- libraries: ([^\\n]+?) -->\n\\|.*\n\\|.*\n((?:\\|.*\n)+)");

    /** Locks granted, updates lost, overtaken commits, keys stuck. */
    private static final List<Integer> OF_LIBRARIES = List.of(1, 2, 3, 5);

    private static final Map<String, String> UNITS =
            Map.of("handoff", "handoffs/s", "handoff trials", "trials in order of 12", "readwrite", "ops/s");

    /** Rows of other pages are those of the page that has every library. */
    @Test
    void librariesUnderFaultsAreThoseOfTheirPage() throws IOException {
        agree(LIBRARIES, PageFiguresTests::libraries);
    }

    @Test
    void tablesShowTheMedians() throws IOException {
        agree(TABLE, PageFiguresTests::rows);
    }

    @Test
    void figuresInSentencesAreThoseOfTheRun() throws IOException {
        agree(FIGURE, found -> {
            String figure = figure(found.group(1), found.group(2), found.group(3));
            assertThat(figure).as(found.group()).isNotEqualTo("–");
            return figure;
        });
    }

    /** @param figures what the last group of {@code place} has to be */
    private static void agree(Pattern place, Function<MatchResult, String> figures) throws IOException {
        int places = 0;
        for (Page page : Page.all()) {
            StringBuilder text = new StringBuilder();
            int from = 0;
            for (MatchResult found : place.matcher(page.text()).results().toList()) {
                places++;
                int group = found.groupCount();
                text.append(page.text(), from, found.start(group)).append(figures.apply(found));
                from = found.end(group);
            }
            text.append(page.text(), from, page.text().length());
            if (Boolean.getBoolean("pages.write")) {
                Files.writeString(Page.ROOT.resolve(page.file()), text);
            } else {
                assertThat(page.text()).as("%s", page).isEqualTo(text.toString());
            }
        }
        assertThat(places).isPositive();
    }

    /** The rows of a table with some figures of the first rows that begin as its head says, each below what it is called. */
    private static String libraries(MatchResult table) {
        List<String> names = List.of(table.group(1).split("; ", -1));
        List<String> present = table.group(2).lines().toList();
        assertThat(present).hasSameSizeAs(names);
        List<String> all = Page.of("docs/verification.md").text().lines().toList();
        StringBuilder rows = new StringBuilder();
        for (int row = 0; row < names.size(); row++) {
            String begin = "| " + names.get(row);
            List<String> cells = Page.cells(all.stream()
                    .filter(line -> line.startsWith(begin))
                    .findFirst()
                    .orElseThrow());
            rows.append("| ").append(Page.cells(present.get(row)).get(0)).append(" |");
            OF_LIBRARIES.forEach(
                    column -> rows.append(' ').append(cells.get(column)).append(" |"));
            rows.append('\n');
        }
        return rows.toString();
    }

    /** The rows of a table with the figures of its workloads, each below what it is called. */
    private static String rows(MatchResult table) {
        String[] workloads = table.group(1).split(", ", -1);
        String[] contenders = table.group(2).split(", ", -1);
        List<String> present = table.group(3).lines().toList();
        assertThat(present).hasSameSizeAs(workloads);
        StringBuilder rows = new StringBuilder();
        for (int row = 0; row < workloads.length; row++) {
            String unit = UNITS.getOrDefault(workloads[row], "pairs/s");
            String file = workloads[row].replace(" trials", "");
            rows.append("| ").append(Page.cells(present.get(row)).get(0)).append(" |");
            for (String contender : contenders) {
                rows.append(' ').append(figure(file, contender, unit)).append(" |");
            }
            rows.append('\n');
        }
        return rows.toString();
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
            throw new UncheckedIOException(ex);
        }
    }
}
