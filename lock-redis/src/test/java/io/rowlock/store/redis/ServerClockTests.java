package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServerClockTests {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ServerClock clock = new ServerClock();
    private final long start = System.nanoTime();

    @Test
    void nothingIsKnownBeforeTheFirstAnswer() {
        assertThat(clock.at(start)).isEmpty();
    }

    @Test
    void answerThatTookLeastSaysMost() {
        clock.answered(1_000_000, start);
        clock.answered(1_999_000, start + SECOND); // took a millisecond longer
        assertThat(clock.at(start + 2 * SECOND)).hasValue(3_000_000);
        clock.answered(3_000_500, start + 2 * SECOND);
        assertThat(clock.at(start + 2 * SECOND)).hasValue(3_000_500);
    }

    @Test
    void oldAnswersAreForgotten() {
        clock.answered(1_000_000, start);
        clock.answered(5_000_000, start + 6 * SECOND);
        assertThat(clock.at(start + 6 * SECOND)).hasValue(7_000_000);
        clock.answered(11_000_000, start + 12 * SECOND);
        assertThat(clock.at(start + 12 * SECOND)).hasValue(11_000_000);
    }

    @Test
    void wrongKnowledgeIsForgotten() {
        clock.answered(1_000_000, start);
        clock.forget();
        assertThat(clock.at(start)).isEmpty();
        clock.answered(400_000, start);
        assertThat(clock.at(start)).hasValue(400_000);
    }
}
