package io.rowlock.verification.history;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Draws what processes and servers needed over a run: a panel for each measure, a line for each process. */
public final class Plot {
    private static final List<String> MEASURES =
            List.of("heap-kb", "threads", "files", "connections", "rows", "redis-keys");

    private static final Map<String, String> TITLES = Map.of(
            "heap-kb",
            "heap after a collection, KiB",
            "rows",
            "rows of the lock tables",
            "redis-keys",
            "keys in Redis");

    private static final List<String> COLOURS = List.of("#1f77b4", "#d62728", "#2ca02c", "#9467bd");
    private static final int COLUMNS = 3;
    private static final int WIDTH = 300;
    private static final int HEIGHT = 190;
    private static final int LEFT = 60;
    private static final int TOP = 28;
    private static final int RIGHT = 14;
    private static final int BOTTOM = 30;
    private static final double HEADROOM = 1.15;
    private static final double MINUTE = 60e9;

    private Plot() {}

    /** @return a picture as SVG */
    public static String of(List<Event> samples) {
        long first = samples.stream().mapToLong(Event::at).min().orElse(0);
        double minutes = Math.max(1, samples.stream().mapToLong(Event::at).max().orElse(0) / MINUTE - first / MINUTE);
        StringBuilder svg = new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                        .formatted(COLUMNS * WIDTH, MEASURES.size() / COLUMNS * HEIGHT))
                .append(" font-family=\"sans-serif\" font-size=\"11\">\n")
                .append("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
        for (int i = 0; i < MEASURES.size(); i++) {
            String measure = MEASURES.get(i);
            svg.append("<g transform=\"translate(%d %d)\">%n".formatted(i % COLUMNS * WIDTH, i / COLUMNS * HEIGHT))
                    .append(panel(
                            TITLES.getOrDefault(measure, measure),
                            samples.stream()
                                    .filter(sample -> sample.key().equals(measure))
                                    .sorted(Comparator.comparingLong(Event::at))
                                    .toList(),
                            first,
                            minutes))
                    .append("</g>\n");
        }
        return svg.append("</svg>\n").toString();
    }

    private static String panel(String title, List<Event> samples, long first, double minutes) {
        long most = Math.max(1, samples.stream().mapToLong(Event::number).max().orElse(0));
        int width = WIDTH - LEFT - RIGHT;
        int height = HEIGHT - TOP - BOTTOM;
        int bottom = TOP + height;
        StringBuilder svg = new StringBuilder();
        svg.append("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>%n".formatted(LEFT, TOP - 10, title));
        svg.append("<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#888\"/>%n"
                .formatted(LEFT, TOP, bottom, LEFT + width));
        double top = most * HEADROOM;
        svg.append(label(LEFT - 6, bottom, "end", "0"));
        svg.append(label(LEFT - 6, bottom - most / top * height, "end", Long.toString(most)));
        svg.append(label(LEFT, bottom + 18, "middle", "0"));
        svg.append(label(LEFT + width, bottom + 18, "end", "%.0f min".formatted(minutes)));
        Map<Integer, List<Event>> byNode =
                samples.stream().collect(Collectors.groupingBy(Event::node, TreeMap::new, Collectors.toList()));
        int line = 0;
        for (List<Event> ofNode : byNode.values()) {
            String points = ofNode.stream()
                    .map(sample -> String.format(
                            Locale.ROOT,
                            "%.1f,%.1f",
                            LEFT + (sample.at() - first) / MINUTE / minutes * width,
                            bottom - sample.number() / top * height))
                    .collect(Collectors.joining(" "));
            svg.append("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"/>%n"
                    .formatted(points, COLOURS.get(line++ % COLOURS.size())));
        }
        return svg.toString();
    }

    private static String label(double x, double y, String anchor, String text) {
        return String.format(
                Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text);
    }
}
