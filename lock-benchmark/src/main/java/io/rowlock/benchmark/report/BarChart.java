package io.rowlock.benchmark.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An SVG of horizontal bars on logarithmic scales, one panel a workload. Readable on light and on dark pages, and without
 * colours: each bar carries its name and figure.
 */
public final class BarChart {
    private static final int WIDTH = 860;
    private static final int LABELS = 190;
    private static final int FIGURES = 90;
    private static final int ROW = 22;
    private static final int PANEL_HEAD = 34;
    private static final int PANEL_GAP = 18;
    private static final String STYLE = """
              <style>
                .bg { fill: #ffffff; } .ink { fill: #1f2933; } .soft { fill: #52606d; font-size: 11px; }
                .grid { stroke: #d5dbe1; } .own { fill: #2f6fde; } .peer { fill: #9aa5b1; } .raw { fill: #f2a93b; }
                @media (prefers-color-scheme: dark) {
                  .bg { fill: #161b22; } .ink { fill: #e6edf3; } .soft { fill: #9da7b1; }
                  .grid { stroke: #343c45; } .own { fill: #5c93f5; } .peer { fill: #6e7a87; } .raw { fill: #d9962f; }
                }
              </style>
            """;

    /** What a panel shows: a workload, one of its units and whether more is better. */
    private record Panel(String workload, String unit, boolean moreIsBetter) {
        String title() {
            return workload + ", " + unit + (moreIsBetter ? " (more is better)" : " (less is better)");
        }
    }

    private static final List<Panel> PANELS = List.of(
            new Panel("uncontended-1", Units.PAIRS, true),
            new Panel("uncontended-8", Units.PAIRS, true),
            new Panel("uncontended-32", Units.PAIRS, true),
            new Panel("uncontended-128", Units.PAIRS, true),
            new Panel("contended-one-process", Units.PAIRS, true),
            new Panel("handoff", Units.MICROS, false),
            new Panel("readwrite", Units.OPERATIONS, true),
            new Panel("renewal-2000", Units.MILLIS, false),
            new Panel("waiting-load", Units.STATEMENTS_A_SECOND, false));

    /**
     * @param results all results
     * @return the chart
     */
    public String draw(List<Result> results) {
        StringBuilder body = new StringBuilder();
        int top = PANEL_GAP;
        for (Panel panel : PANELS) {
            Map<String, Double> bars = bars(panel, results);
            if (!bars.isEmpty()) {
                draw(panel, bars, top, body);
                top += PANEL_HEAD + bars.size() * ROW + PANEL_GAP;
            }
        }
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="system-ui, sans-serif" \
                font-size="13" role="img" aria-labelledby="t">
                  <title id="t">Medians of each workload and contender, on logarithmic scales</title>
                %3$s  <rect class="bg" width="%1$d" height="%2$d" rx="8"/>
                %4$s</svg>
                """.formatted(WIDTH, top, STYLE, body);
    }

    private static Map<String, Double> bars(Panel panel, List<Result> results) {
        Map<String, Double> bars = new LinkedHashMap<>();
        for (Result result : results) {
            if (result.workload().equals(panel.workload()) && result.unit().equals(panel.unit())) {
                bars.put(result.contender(), result.median());
            }
        }
        return bars;
    }

    private static void draw(Panel panel, Map<String, Double> bars, int top, StringBuilder body) {
        LogScale scale = LogScale.of(new ArrayList<>(bars.values()), WIDTH - LABELS - FIGURES);
        int y = top + PANEL_HEAD;
        line(body, "<text class=\"ink\" x=\"16\" y=\"%d\" font-weight=\"600\">%s</text>", top + 14, panel.title());
        for (double decade : scale.decades()) {
            double x = LABELS + scale.position(decade);
            line(
                    body,
                    "<line class=\"grid\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\"/>",
                    x,
                    y - 4,
                    y + bars.size() * ROW);
            line(
                    body,
                    "<text class=\"soft\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                    x,
                    y - 7,
                    Numbers.text(decade));
        }
        for (Map.Entry<String, Double> bar : bars.entrySet()) {
            double width = Math.max(1, scale.position(bar.getValue()));
            line(
                    body,
                    "<text class=\"ink\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
                    LABELS - 8,
                    y + 15,
                    bar.getKey());
            line(
                    body,
                    "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>",
                    family(bar.getKey()),
                    LABELS,
                    y + 2,
                    width,
                    ROW - 5);
            line(
                    body,
                    "<text class=\"ink\" x=\"%.1f\" y=\"%d\">%s</text>",
                    LABELS + width + 6,
                    y + 15,
                    Numbers.text(bar.getValue()));
            y += ROW;
        }
    }

    private static void line(StringBuilder body, String format, Object... arguments) {
        body.append("  ").append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    private static String family(String contender) {
        if (contender.startsWith("rowlock")) {
            return "own";
        }
        return contender.startsWith("raw") ? "raw" : "peer";
    }
}
