package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.client.request.Handoff;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HandoffTests {
    @Test
    void negativeLimitsAreRefusedWithTheLimitInTheMessage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Handoff(-1, Duration.ZERO))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Handoff(0, Duration.ofMillis(-1)))
                .withMessageContaining("-1ms");
    }

    @Test
    void moreHandoffsThanALeaseHasTokensAreRefused() {
        assertThat(new Handoff(1_022, Duration.ZERO).max()).isEqualTo(Handoff.MOST);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Handoff(1_023, Duration.ZERO))
                .withMessageContaining("0 to 1022 times")
                .withMessageContaining("the limit is 1023");
    }

    @Test
    void timeThatNoClockCanCountIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Handoff(1, Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageContaining("0s to 1h");
    }
}
