package io.rowlock.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.FullBuild;
import io.rowlock.test.RunReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every scenario is played once for each request of its subject and each fault which that can meet. With
 * {@code -Drowlock.test.faults.seconds} single faults are complete on every server, and after them pairs are tried for that
 * time. {@code -Drowlock.test.faults.only} plays the runs whose name it is part of, or one, or one pair; {@code -Drowlock.test.faults.every} only each so
 * many-th. Without one of these every build plays a tenth, and {@code -Pfull} the rest.
 */
@ExtendWith(QuietConsole.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(FullBuild.TOO)
abstract class FaultContract {
    private static final int SECONDS = Integer.getInteger("rowlock.test.faults.seconds", 0);
    private static final String ONLY = System.getProperty("rowlock.test.faults.only", "");
    private static final long SEED = Long.getLong("rowlock.test.faults.seed", System.nanoTime());

    private static final boolean COMPLETE =
            SECONDS > 0 || !ONLY.isEmpty() || Integer.getInteger("rowlock.test.faults.every") != null;
    private static final int IN_EVERY_BUILD = 10;

    private final int every;
    private @Nullable FaultSearch search;
    private List<FaultRun.Outcome> recorded = List.of();
    private String server = "";

    /** @param every which part of the single faults is enough in both builds together: each so many-th */
    FaultContract(int every) {
        this.every = Integer.getInteger("rowlock.test.faults.every", SECONDS > 0 || !ONLY.isEmpty() ? 1 : every);
    }

    /**
     * To be called before all tests.
     *
     * @param name of the server
     */
    void record(Theatre theatre, List<Scenario> all, String name) throws Exception {
        server = name;
        search = new FaultSearch(theatre);
        recorded = search.record(
                all.stream().filter(each -> ONLY.isEmpty() || isChosen(each)).toList());
    }

    private FaultSearch search() {
        return Objects.requireNonNull(search, "nothing was recorded");
    }

    private static boolean isChosen(Scenario scenario) {
        int number = ONLY.indexOf('#');
        return number < 0 ? scenario.id().contains(ONLY) : scenario.id().equals(ONLY.substring(0, number));
    }

    @AfterAll
    void end() throws Exception {
        if (search != null) {
            search.close();
        }
    }

    @Test
    void withoutAFaultAllIsWell() {
        assertThat(recorded)
                .allSatisfy(outcome ->
                        assertThat(outcome.violations()).as(outcome::describe).isEmpty());
        assertThat(recorded)
                .allSatisfy(outcome -> assertThat(outcome.requests()).isNotEmpty());
    }

    @Test
    void noSingleFaultDoesHarm() throws Exception {
        List<FaultRun> all = FaultSearch.singleFaults(recorded, SECONDS > 0 || !ONLY.isEmpty()).stream()
                .filter(run -> run.id().contains(ONLY))
                .toList();
        List<FaultRun> chosen = IntStream.range(0, all.size())
                .filter(i -> i % every == 0 && isPlayed(i / every))
                .mapToObj(all::get)
                .toList();
        long start = System.nanoTime();
        int before = search().met();
        List<FaultRun.Outcome> failed = search().play(chosen);
        int met = search().met() - before;
        assertThat(met).as("runs that met their fault").isGreaterThanOrEqualTo(chosen.size() / 2);
        report(chosen, met, failed, System.nanoTime() - start);
        assertThat(ids(failed)).as("runs that failed").isEmpty();
    }

    @Test
    void noPairOfFaultsDoesHarm() throws Exception {
        boolean isGiven = ONLY.contains(",");
        if (SECONDS == 0 && !isGiven) {
            return;
        }
        FaultSearch.Pairs pairs = isGiven
                ? new FaultSearch.Pairs(1, search().play(List.of(given())))
                : search().pairs(recorded, Duration.ofSeconds(SECONDS), SEED);
        RunReport.add("%nPairs of faults on %s, seed %d: %d runs, %d violations"
                .formatted(server, SEED, pairs.played(), pairs.failed().size()));
        assertThat(ids(pairs.failed())).as("runs that failed").isEmpty();
    }

    private static boolean isPlayed(int number) {
        return COMPLETE || (number % IN_EVERY_BUILD == 0) != FullBuild.isRunning();
    }

    private static List<String> ids(List<FaultRun.Outcome> failed) {
        return failed.stream().map(outcome -> outcome.run().id()).toList();
    }

    private FaultRun given() {
        Map<Integer, Fault> faults = new TreeMap<>();
        for (String each : ONLY.substring(ONLY.indexOf('#') + 1).split(",", -1)) {
            String[] parts = each.split("=", -1);
            faults.put(Integer.valueOf(parts[0]), Fault.valueOf(parts[1]));
        }
        return new FaultRun(recorded.get(0).run().scenario(), faults);
    }

    private void report(List<FaultRun> played, int met, List<FaultRun.Outcome> failed, long nanos) {
        StringBuilder text = new StringBuilder(
                "%nSingle faults on %s: %d scenarios, %d requests, %d runs (%d met their fault) in %d s, %d violations%n"
                        .formatted(
                                server,
                                recorded.size(),
                                recorded.stream()
                                        .mapToInt(outcome -> outcome.requests().size())
                                        .sum(),
                                played.size(),
                                met,
                                nanos / 1_000_000_000,
                                failed.size()));
        Map<String, Long> wrong = failed.stream()
                .collect(Collectors.groupingBy(
                        outcome -> outcome.run().scenario().id(), Collectors.counting()));
        for (FaultRun.Outcome outcome : recorded) {
            String id = outcome.run().scenario().id();
            text.append("%6d requests  %6d violations  %s%n"
                    .formatted(outcome.requests().size(), wrong.getOrDefault(id, 0L), id));
        }
        RunReport.add(text.toString());
    }
}
