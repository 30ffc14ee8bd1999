package io.rowlock.verification.history;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Looks at what a process needs over a long run. Its first half is left out; what a process needs in the last quarter must be what it
 * needed in the one before, by their medians.
 */
final class Growth {
    /** Samples without which a process has not run for long enough. */
    static final int LEAST = 20;

    private static final double TOLERANCE = 1.1;

    /** The part that comes and goes: pools, buffers, caches of the virtual machine. */
    private static final Map<String, Integer> SLACK =
            Map.of("heap-kb", 3_000, "threads", 4, "files", 10, "connections", 6, "rows", 100, "redis-keys", 100);

    private Growth() {}

    static List<Violation> find(List<Event> samples) {
        record Series(int node, String key) {}
        return samples.stream()
                .collect(Collectors.groupingBy(sample -> new Series(sample.node(), sample.key())))
                .values()
                .stream()
                .flatMap(series ->
                        find(series.stream()
                                        .sorted(Comparator.comparingLong(Event::at))
                                        .toArray(Event[]::new))
                                .stream())
                .toList();
    }

    private static Optional<Violation> find(Event[] series) {
        if (series.length < LEAST) {
            return Optional.empty();
        }
        Event last = series[series.length - 1];
        List<Event> all = List.of(series);
        int quarter = series.length / 4;
        long now = median(all.subList(3 * quarter, series.length));
        boolean isOfPools = last.key().equals("connections"); // they grow and shrink with the load
        long before = isOfPools
                ? all.subList(0, 3 * quarter).stream()
                        .mapToLong(Event::number)
                        .max()
                        .orElse(0)
                // Whatever a fault has closed comes back
                : Math.max(median(all.subList(quarter, 2 * quarter)), median(all.subList(2 * quarter, 3 * quarter)));
        return now > before * (isOfPools ? 1 : TOLERANCE) + SLACK.getOrDefault(last.key(), 0)
                ? Optional.of(new Violation(
                        "grows",
                        last.at(),
                        "%s of node %d: from %d to %d".formatted(last.key(), last.node(), before, now)))
                : Optional.empty();
    }

    private static long median(List<Event> samples) {
        return samples.stream()
                .mapToLong(Event::number)
                .sorted()
                .skip(samples.size() / 2)
                .findFirst()
                .orElse(0);
    }
}
