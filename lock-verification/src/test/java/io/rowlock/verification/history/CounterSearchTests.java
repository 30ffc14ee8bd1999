package io.rowlock.verification.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.verification.history.CounterSearch.Increment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class CounterSearchTests {
    private static Increment certain(long called, long answered, long read) {
        return new Increment(called, answered, read, true);
    }

    private static Increment open(long called, long read) {
        return new Increment(called, Long.MAX_VALUE, read, false);
    }

    private static boolean isLinearizable(Increment... increments) {
        return CounterSearch.isLinearizable(List.of(increments), 0);
    }

    @Test
    void incrementsOneAfterTheOtherHaveAnOrder() {
        assertThat(isLinearizable(certain(0, 1, 0), certain(2, 3, 1), certain(4, 5, 2)))
                .isTrue();
    }

    @Test
    void incrementsAtTheSameTimeMayBeInAnyOrder() {
        assertThat(isLinearizable(certain(0, 9, 2), certain(0, 9, 0), certain(0, 9, 1)))
                .isTrue();
    }

    @Test
    void lostUpdateHasNone() {
        assertThat(isLinearizable(certain(0, 9, 0), certain(0, 9, 0))).isFalse();
    }

    @Test
    void valueThatWasReadBeforeItWasWrittenHasNone() {
        assertThat(isLinearizable(certain(0, 1, 1), certain(2, 3, 0))).isFalse();
    }

    @Test
    void valueThatCameOfNothingHasNone() {
        assertThat(isLinearizable(certain(0, 1, 0), certain(2, 3, 7))).isFalse();
    }

    @Test
    void incrementWithoutAnAnswerMayHaveHappenedOrNot() {
        assertThat(isLinearizable(open(0, 0), certain(2, 3, 1))).isTrue();
        assertThat(isLinearizable(open(0, 0), certain(2, 3, 0))).isTrue();
        assertThat(isLinearizable(open(4, 0), certain(2, 3, 1))).isFalse();
    }

    /** The wrong one of two that fit is tried first. */
    @Test
    void searchGoesBack() {
        assertThat(isLinearizable(open(0, 0), certain(1, 9, 0), certain(2, 3, 1)))
                .isTrue();
        assertThat(isLinearizable(open(0, 0), open(0, 0), certain(5, 6, 0), certain(7, 8, 1)))
                .isTrue();
    }

    /** Increments that did happen one after the other, with calls and answers around them; then one of them lost. */
    @RepeatedTest(20)
    void knownHistoriesAreToldApart(RepetitionInfo run) {
        Random random = new Random(run.getCurrentRepetition());
        List<Increment> good = new ArrayList<>();
        for (int value = 0; value < 500; value++) {
            long at = value * 10L;
            good.add(new Increment(at - random.nextInt(30), at + random.nextInt(30), value, random.nextInt(10) > 0));
        }
        Collections.shuffle(good, random);
        assertThat(CounterSearch.isLinearizable(good, 0)).isTrue();
        int victim = 1 + random.nextInt(400);
        List<Increment> bad = new ArrayList<>();
        for (Increment one : good) {
            long read = one.read() < victim ? one.read() : one.read() - 1;
            boolean certain = one.certain() || one.read() == victim || one.read() == victim - 1;
            bad.add(new Increment(one.called(), one.answered(), read, certain));
        }
        assertThat(CounterSearch.isLinearizable(bad, 0)).isFalse();
    }
}
