package io.rowlock.benchmark.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.benchmark.process.HeldTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandoffsTests {
    private final Handoffs handoffs = Handoffs.of(List.of(
            List.of(
                    new HeldTime(0, 4500, 5_000),
                    new HeldTime(6_000, 10500, 11_000),
                    new HeldTime(30_000, 34500, 35_000)),
            List.of(new HeldTime(13_000, 17500, 18_000))));

    @Test
    void theKeyLiesIdleFromEachReleaseToTheNextGrantOfAnyProcess() {
        assertThat(handoffs.micros()).containsExactly(1.0, 2.0, 12.0);
        assertThat(handoffs.microsFromCall()).containsExactly(1.5, 2.5, 12.5);
    }

    @Test
    void onlyFromOneProcessToAnotherIsAChange() {
        assertThat(handoffs.changes()).isEqualTo(2);
        assertThat(handoffs.processes()).containsExactly(0, 0, 1, 0);
    }

    @Test
    void onlyGrantsOfTheSpanCount() {
        assertThat(handoffs.between(6_000, 30_000).processes()).containsExactly(0, 1);
    }

    @Test
    void grantIsSeenBeforeItsReleaserKnows() {
        Handoffs early =
                Handoffs.of(List.of(List.of(new HeldTime(0, 4500, 5_000)), List.of(new HeldTime(4_000, 8500, 9_000))));

        assertThat(early.micros()).containsExactly(-1.0);
    }

    @Test
    void timesSurviveTheirWayBetweenProcesses() {
        List<HeldTime> times = List.of(new HeldTime(1, 1, 2), new HeldTime(-3, -3, 4));

        assertThat(HeldTime.parse(times.get(0).text() + " " + times.get(1).text()))
                .isEqualTo(times);
        assertThat(HeldTime.parse("")).isEmpty();
    }

    @Test
    void everyTrialAsksInAnOrderOfAllProcessesAndTheHolderChanges() {
        for (int trial = 0; trial < OrderTrial.TRIALS; trial++) {
            assertThat(OrderTrial.asking(4, trial))
                    .containsExactlyInAnyOrder(0, 1, 2, 3)
                    .startsWith(trial % 4);
        }
        assertThat(OrderTrial.asking(4, 0)).isNotEqualTo(OrderTrial.asking(4, 4));
    }
}
