package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class StatisticsTests {

    @Test
    void medianIsTheMiddleOfTheSortedValues() {
        assertThat(Statistics.median(List.of(9.0, 1.0, 2.0))).isEqualTo(2);
    }

    @Test
    void medianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        assertThat(Statistics.median(List.of(4.0, 1.0, 100.0, 2.0))).isEqualTo(3);
    }

    @Test
    void quantileIsTheLeastValueThatCoversItsPart() {
        long[] values = {50, 10, 40, 20, 30};
        assertThat(Statistics.quantile(values, 0.5)).isEqualTo(30);
        assertThat(Statistics.quantile(values, 0.6)).isEqualTo(30);
        assertThat(Statistics.quantile(values, 0.61)).isEqualTo(40);
        assertThat(Statistics.quantile(values, 0.99)).isEqualTo(50);
        assertThat(values).startsWith(50);
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.quantile(new long[0], 0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.quantile(values, 0));
    }

    @Test
    void noValuesHaveNoMedian() {
        assertThatIllegalArgumentException().isThrownBy(() -> Statistics.median(List.of()));
    }

    @Test
    void ratioIsTakenRoundByRound() {
        // The ratio of the medians would be 10 / 10
        assertThat(Statistics.medianRatio(List.of(2.0, 10.0, 30.0), List.of(1.0, 5.0, 10.0)))
                .isEqualTo(2);
        assertThat(Statistics.medianRatio(List.of(10.0, 2.0, 40.0), List.of(5.0, 10.0, 20.0)))
                .isEqualTo(2);
    }

    @Test
    void ratioOfUnequalNumbersOfRoundsIsThatOfTheMedians() {
        assertThat(Statistics.medianRatio(List.of(2.0, 4.0, 6.0), List.of(8.0))).isEqualTo(0.5);
    }

    @Test
    void jainIsOneForEqualShares() {
        assertThat(Statistics.jain(List.of(7L, 7L, 7L, 7L))).isEqualTo(1);
    }

    @Test
    void jainIsOneByTheNumberIfOneHasEverything() {
        assertThat(Statistics.jain(List.of(0L, 12L, 0L, 0L))).isEqualTo(0.25);
    }

    @Test
    void jainOfUnequalShares() {
        assertThat(Statistics.jain(List.of(1L, 2L, 3L))).isEqualTo(36.0 / 42, within(1e-12));
    }

    @Test
    void jainIsOneIfNoneHasAnything() {
        assertThat(Statistics.jain(List.of(0L, 0L))).isEqualTo(1);
    }
}
