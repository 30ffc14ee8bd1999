package io.rowlock.client.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LeaseStateTests {
    /** Near the end of the range, since only differences of readings mean anything. */
    private static final long START = Long.valueOf(Long.MAX_VALUE).longValue() - 50;

    private final LeaseState state = new LeaseState(START, 90, 30);

    @Test
    void lastsFromWhenTheStatementWasSentForTheTtl() {
        assertThat(state.isHeld(START)).isTrue();
        assertThat(state.remaining(START + 40)).isEqualTo(50);
        assertThat(state.isHeld(START + 89)).isTrue();
        assertThat(state.isHeld(START + 90)).isFalse();
        assertThat(state.remaining(START + 200)).isZero();
    }

    @Test
    void renewalLagsFromWhenItWasDueUntilOneSucceeds() {
        assertThat(state.lag(START + 30)).isZero();
        assertThat(state.lag(START + 42)).isEqualTo(12);
        state.renewalFailed(START + 42);
        assertThat(state.lag(START + 45)).isEqualTo(15);
        assertThat(state.renewed(START + 46, START + 47, 90, 30)).isTrue();
        assertThat(state.lag(START + 48)).isZero();
    }

    @Test
    void renewalCountsFromWhenItWasSent() {
        assertThat(state.nextRenewal()).isEqualTo(START + 30);
        assertThat(state.renewed(START + 30, START + 80, 90, 30)).isTrue();
        assertThat(state.deadline()).isEqualTo(START + 120);
        assertThat(state.nextRenewal()).isEqualTo(START + 60);
    }

    @Test
    void answerAfterTheOldDeadlineIsALossForGood() {
        assertThat(state.renewed(START + 30, START + 90, 90, 30)).isFalse();
        assertThat(state.isHeld(START + 90)).isFalse();
        assertThat(state.lostBecause()).contains("too late");
        assertThat(state.renewed(START + 91, START + 92, 900, 30)).isFalse();
        assertThat(state.isHeld(START + 92)).isFalse();
    }

    @Test
    void failedRenewalChangesNothingButWhenItIsTriedAgain() {
        state.renewalFailed(START + 40);
        assertThat(state.nextRenewal()).isEqualTo(START + 47);
        assertThat(state.deadline()).isEqualTo(START + 90);
    }

    @Test
    void warnsHalfwayBetweenTheRenewalAndTheEndAndOncePerRenewal() {
        assertThat(state.warningAt()).isEqualTo(START + 60);
        assertThat(state.warn()).isTrue();
        assertThat(state.warn()).isFalse();
        assertThat(state.isWarned()).isTrue();
        state.renewed(START + 61, START + 62, 90, 30);
        assertThat(state.isWarned()).isFalse();
        assertThat(state.warn()).isTrue();
    }

    @Test
    void shorteningMayEndItEarlyAndIsMadeUpForAtOnce() {
        state.extending(START + 10, 20);
        assertThat(state.deadline()).isEqualTo(START + 30);
        assertThat(state.nextRenewal()).isEqualTo(START + 10);
    }

    @Test
    void lengtheningPromisesNothingBeforeItsAnswer() {
        state.extending(START + 10, 900);
        assertThat(state.deadline()).isEqualTo(START + 90);
        assertThat(state.nextRenewal()).isEqualTo(START + 30);
        assertThat(state.renewed(START + 10, START + 20, 900, 300)).isTrue();
        assertThat(state.deadline()).isEqualTo(START + 910);
        assertThat(state.ttl()).isEqualTo(900);
    }

    @Test
    void endIsUnknownFromAnAttemptToMoveItUntilOneIsAnswered() {
        assertThat(state.isEndKnown()).isTrue();
        state.extending(START + 10, 20);
        assertThat(state.isEndKnown()).isFalse();
        state.extending(START + 12, 90);
        assertThat(state.deadline()).as("the earlier one may still come").isEqualTo(START + 30);
        state.renewalFailed(START + 14);
        assertThat(state.isEndKnown()).isFalse();
        assertThat(state.renewed(START + 15, START + 16, 90, 30)).isTrue();
        assertThat(state.isEndKnown()).isTrue();
        assertThat(state.deadline()).isEqualTo(START + 105);
    }

    @Test
    void firstReasonOfTheLossStays() {
        state.lost("first");
        state.lost("second");
        assertThat(state.lostBecause()).isEqualTo("first");
        assertThat(state.isHeld(START)).isFalse();
    }
}
