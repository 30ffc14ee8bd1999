package io.rowlock.sample.pause;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PauseControllerTests {
    private static final List<String> ALL = List.of("lease", "row-lock", "unique-key", "redis");

    @Test
    void holderInRedisIsOfferedWhereThereIsARedisAndAWholeProcessCanStandStill() {
        assertThat(PauseController.known(ALL, true)).containsExactly("lease", "redis");
        assertThat(PauseController.known(ALL, false)).containsExactly("lease");
        assertThat(PauseController.known(ALL.subList(0, 3), true)).containsExactly("lease");
    }
}
