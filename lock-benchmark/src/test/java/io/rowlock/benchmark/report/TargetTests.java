package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TargetTests {
    private static final Result LEASE = new Result("work", "rowlock-lease", 90, 80, 100, Units.PAIRS, "raw-lease", 0.9);

    @Test
    void limitsThemselvesAreReachedExceptByBelow() {
        assertThat(target(Target.Bound.AT_LEAST, 0.9).isReachedBy(0.9)).isTrue();
        assertThat(target(Target.Bound.AT_LEAST, 0.9).isReachedBy(0.89)).isFalse();
        assertThat(target(Target.Bound.AT_MOST, 0.9).isReachedBy(0.9)).isTrue();
        assertThat(target(Target.Bound.AT_MOST, 0.9).isReachedBy(0.91)).isFalse();
        assertThat(target(Target.Bound.BELOW, 0.9).isReachedBy(0.9)).isFalse();
        assertThat(target(Target.Bound.BELOW, 0.9).isReachedBy(0.89)).isTrue();
    }

    @Test
    void aComparisonIsMeasuredByTheRatioToItsReference() {
        assertThat(target(Target.Bound.AT_LEAST, 1).measured(List.of(LEASE))).hasValue(0.9);
        assertThat(new Target("work", Units.PAIRS, "rowlock-lease", "shedlock", Target.Bound.AT_LEAST, 1)
                        .measured(List.of(LEASE)))
                .isEmpty();
    }

    @Test
    void aFigureIsMeasuredByTheMedian() {
        assertThat(new Target("work", Units.PAIRS, "rowlock-lease", null, Target.Bound.BELOW, 200)
                        .measured(List.of(LEASE)))
                .hasValue(90.0);
    }

    @Test
    void everyTargetIsAboutAnotherFigure() {
        assertThat(Targets.all()).doesNotHaveDuplicates();
        assertThat(Targets.all())
                .extracting(target -> List.of(
                        target.workload(), target.unit(), target.contender(), String.valueOf(target.reference())))
                .doesNotHaveDuplicates();
    }

    private static Target target(Target.Bound bound, double limit) {
        return new Target("work", Units.PAIRS, "rowlock-lease", "raw-lease", bound, limit);
    }
}
