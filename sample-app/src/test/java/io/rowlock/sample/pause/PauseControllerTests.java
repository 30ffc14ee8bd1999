package io.rowlock.sample.pause;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PauseControllerTests {
    @Test
    void holderInRedisIsOfferedWhereThereIsARedisAndAWholeProcessCanStandStill() {
        assertThat(PauseController.strategies(true, true)).containsExactly("lease", "redis");
        assertThat(PauseController.strategies(true, false)).containsExactly("lease");
        assertThat(PauseController.strategies(false, true)).containsExactly("lease");
    }
}
