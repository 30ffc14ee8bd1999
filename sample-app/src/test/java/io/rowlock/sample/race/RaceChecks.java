package io.rowlock.sample.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.Sample;
import io.rowlock.sample.stage.InputChecks;
import org.junit.jupiter.api.Test;

/** What the strategies side by side show. */
public interface RaceChecks extends Sample {

    @Test
    default void measuresEveryStrategyAndNeverSeesTwoHolders() {
        long before = number(InputChecks.ALL_ROWS);
        RaceResult[] results = post("/race?millis=500", RaceResult[].class);
        assertThat(results).extracting(RaceResult::strategy).containsExactly("lease", "row-lock", "unique-key");
        assertThat(results).allSatisfy(result -> {
            assertThat(result.nodes()).isEqualTo(3);
            assertThat(result.handoffs()).isPositive();
            assertThat(result.handoffMillis()).isPositive();
            assertThat(result.perSecond()).isPositive();
            assertThat(result.overlaps()).isZero();
        });
        assertThat(number(InputChecks.ALL_ROWS)).isGreaterThan(before); // so that they tell whether one ran
    }
}
