package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockRequestTests {
    private static final Duration YEAR = Duration.ofDays(365);
    private static final Duration LONGER = YEAR.plusNanos(1);

    private final LockRequest request = LockRequest.exclusive("k");

    @Test
    void noDurationIsLongerThanAYear() {
        assertThat(request.withTtl(YEAR)
                        .withWaitTime(YEAR)
                        .withHoldAtLeast(YEAR)
                        .ttl())
                .isEqualTo(YEAR);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request.withTtl(LONGER))
                .withMessageContaining("The ttl is")
                .withMessageContaining("the limit is 365d");
        assertThatIllegalArgumentException().isThrownBy(() -> request.withWaitTime(LONGER));
        assertThatIllegalArgumentException().isThrownBy(() -> request.withHoldAtLeast(LONGER));
    }
}
