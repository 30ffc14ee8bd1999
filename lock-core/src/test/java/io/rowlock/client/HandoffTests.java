package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
                .withMessageContaining("PT-0.001S");
    }

    @Test
    void timeThatNoClockCanCountIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Handoff(1, Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageContaining("must not be longer");
    }
}
