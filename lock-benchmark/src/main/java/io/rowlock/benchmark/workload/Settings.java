package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Contenders;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What to run, and for how long.
 *
 * @param workloads names of workloads, or empty for all
 * @param contenders names of contenders, or empty for all
 * @param round how long a round of the shortest workloads measures; others measure a multiple of it
 * @param rounds how many rounds count, after one for warming up
 * @param publish whether the results are those of the project, or of one run that looks at a part
 * @param redisUrl a running Redis server, or null to start one
 */
public record Settings(
        Set<String> workloads,
        Set<String> contenders,
        Duration round,
        int rounds,
        boolean publish,
        @Nullable String redisUrl) {

    private static final Duration DEFAULT_ROUND = Duration.ofMillis(700);
    private static final int DEFAULT_ROUNDS = 5;
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(14);

    public Settings {
        contenders.forEach(Contenders::named);
        if (round.toMillis() < 1 || rounds < 1) {
            throw new IllegalArgumentException(
                    "benchmark.seconds and benchmark.rounds must be positive, but are %s and %d"
                            .formatted(round, rounds));
        }
    }

    /**
     * @param property gives the value of a system property; null and blank mean the default
     * @return the settings
     */
    public static Settings of(UnaryOperator<@Nullable String> property) {
        Set<String> workloads = names(property.apply("benchmark.workloads"));
        Set<String> contenders = names(property.apply("benchmark.contenders"));
        String seconds = text(property.apply("benchmark.seconds"));
        String rounds = text(property.apply("benchmark.rounds"));
        String publish = text(property.apply("benchmark.publish"));
        boolean everything = workloads.isEmpty() && contenders.isEmpty() && seconds == null && rounds == null;
        return new Settings(
                workloads,
                contenders,
                seconds == null ? DEFAULT_ROUND : Duration.ofMillis(Math.round(Double.parseDouble(seconds) * 1_000)),
                rounds == null ? DEFAULT_ROUNDS : Integer.parseInt(rounds),
                publish == null ? everything : Boolean.parseBoolean(publish),
                text(property.apply("benchmark.redis.url")));
    }

    private static Set<String> names(@Nullable String list) {
        String text = text(list);
        return text == null
                ? Set.of()
                : Arrays.stream(text.split(",", -1))
                        .map(String::strip)
                        .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static @Nullable String text(@Nullable String value) {
        return value == null || value.isBlank() ? null : value.strip();
    }

    boolean includes(String workload) {
        return workloads.isEmpty() || workloads.contains(workload);
    }

    boolean includesContender(String contender) {
        return contenders.isEmpty() || contenders.contains(contender);
    }

    /**
     * How long a turn counts.
     *
     * @param longer how many times as long as in the shortest workloads
     * @param counts whether it counts at all; for warming up half the time will do
     */
    Duration turn(int longer, boolean counts) {
        return counts ? round.multipliedBy(longer) : round.multipliedBy(longer).dividedBy(2);
    }

    /** How long each contender runs, at most, before anything is measured; no longer than four times what is measured of it. */
    Duration warmUp() {
        Duration measured = round.multipliedBy(4L * rounds);
        return measured.compareTo(LONGEST_WARM_UP) < 0 ? measured : LONGEST_WARM_UP;
    }

    /** @return what was set, for people to read */
    public String description() {
        return "%d rounds after one that does not count, %s s each or a multiple of it; before all, until its code is compiled, %s s at most for each contender"
                .formatted(rounds, round.toMillis() / 1e3, warmUp().toMillis() / 1e3);
    }
}
