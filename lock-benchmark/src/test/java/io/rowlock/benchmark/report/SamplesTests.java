package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Test;

class SamplesTests {
    private final Samples samples = new Samples();

    private void add(String contender, String unit, double... values) {
        for (double value : values) {
            samples.add("work", contender, unit, value);
        }
    }

    @Test
    void eachSeriesHasItsMedianAndLimits() {
        add("one", Units.JAIN, 3, 1, 2);

        assertThat(samples.results(List.of()))
                .containsExactly(new Result("work", "one", 2, 1, 3, Units.JAIN, null, null));
    }

    @Test
    void whatIsNoNumberIsNamedAndCostsNoOtherResult() {
        add("one", Units.PAIRS, 3);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> add("other", Units.PAIRS, Double.NaN))
                .withMessage("pairs/s of other in work is NaN");
        assertThat(samples.results(List.of())).hasSize(1);
    }

    @Test
    void everybodyIsComparedWithTheFloor() {
        add("raw-lease", Units.PAIRS, 100, 200);
        add("rowlock-lease", Units.PAIRS, 50, 100);

        assertThat(samples.results(List.of()))
                .extracting(Result::contender, Result::ratioTo, Result::ratio)
                .containsExactly(tuple("raw-lease", null, null), tuple("rowlock-lease", "raw-lease", 0.5));
    }

    @Test
    void aTargetAddsItsComparison() {
        add("raw-lease", Units.PAIRS, 100);
        add("rowlock-lease", Units.PAIRS, 50);
        add("shedlock", Units.PAIRS, 25);
        Target target = new Target("work", Units.PAIRS, "rowlock-lease", "shedlock", Target.Bound.AT_LEAST, 1.6);

        assertThat(samples.results(List.of(target)))
                .filteredOn(result -> result.contender().equals("rowlock-lease"))
                .extracting(Result::ratioTo)
                .containsExactly("raw-lease", "shedlock");
        assertThat(target.measured(samples.results(List.of(target)))).hasValue(2.0);
    }

    @Test
    void aRatioToNothingOrLessIsNone() {
        add("raw-lease", Units.PAIRS, 0);
        add("rowlock-lease", Units.PAIRS, 50);
        add("raw-lease", Units.MICROS, 10, -90, 20);
        add("rowlock-lease", Units.MICROS, 50, 50, 50);

        assertThat(samples.results(List.of())).extracting(Result::ratio).containsOnlyNulls();
    }

    @Test
    void contendersAreShownInTheirOrderAndNotInThatOfTheirTurns() {
        samples.showInOrder(List.of("one", "two"));
        add("two", Units.JAIN, 1);
        add("one", Units.JAIN, 1);
        add("other", Units.JAIN, 1);

        assertThat(samples.results(List.of())).extracting(Result::contender).containsExactly("one", "two", "other");
    }

    @Test
    void whoDidNotComeThroughHasNoResult() {
        add("one", Units.JAIN, 1);
        add("two", Units.JAIN, 1);
        samples.remove("work", "one");

        assertThat(samples.results(List.of())).extracting(Result::contender).containsExactly("two");
    }

    @Test
    void figuresHaveFiveDigits() {
        add("one", Units.JAIN, 1.0 / 3, 123456.789);

        Result result = samples.results(List.of()).get(0);
        assertThat(result.min()).isEqualTo(0.33333);
        assertThat(result.max()).isEqualTo(123460);
    }
}
