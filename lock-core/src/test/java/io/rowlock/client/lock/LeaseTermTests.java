package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LeaseTermTests {
    /** Near the end of the range, since only differences of readings mean anything. */
    private static final long START = Long.valueOf(Long.MAX_VALUE).longValue() - 50;

    private final LeaseTerm term = LeaseTerm.of(START, 90, 30);

    @Test
    void lastsFromWhenTheStatementWasSentForTheTtl() {
        assertThat(term.remaining(START + 40)).isEqualTo(50);
        assertThat(term.isOver(START + 89)).isFalse();
        assertThat(term.isOver(START + 90)).isTrue();
        assertThat(term.remaining(START + 200)).isZero();
        assertThat(term.isPromise()).isFalse();
    }

    @Test
    void isFreshWhileHalfOfItIsLeft() {
        assertThat(term.isFresh(START + 45)).isTrue();
        assertThat(term.isFresh(START + 46)).isFalse();
    }

    @Test
    void warnsHalfwayBetweenTheRenewalAndTheEnd() {
        assertThat(term.due()).isEqualTo(START + 30);
        assertThat(term.warningDue()).isEqualTo(START + 60);
    }

    @Test
    void promiseIsShorterAndItsRenewalIsDueWithinAThirdOfIt() {
        LeaseTerm promise = term.promised(12);
        assertThat(promise.isPromise()).isTrue();
        assertThat(promise.isOver(START + 11)).isFalse();
        assertThat(promise.isOver(START + 12)).isTrue();
        assertThat(promise.ttl()).isEqualTo(90);
        assertThat(promise.due()).isEqualTo(START + 4);
        assertThat(promise.warningDue()).isEqualTo(START + 8);
        assertThat(promise.isFresh(START + 6)).isTrue();
        assertThat(promise.isFresh(START + 7)).isFalse();
    }

    @Test
    void promiseThatIsNotShorterIsNone() {
        assertThat(term.promised(90)).isEqualTo(term);
        assertThat(term.promised(91).isPromise()).isFalse();
    }

    @Test
    void laterEndIsTheLaterOne() {
        assertThat(LeaseTerm.of(START + 30, 90, 30).endsAfter(term)).isTrue();
        assertThat(term.endsAfter(term)).isFalse();
        assertThat(LeaseTerm.of(START + 10, 20, 30).endsAfter(term)).isFalse();
    }
}
