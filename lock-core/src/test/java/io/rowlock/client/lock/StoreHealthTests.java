package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockStoreException;
import io.rowlock.client.lock.KeyQueues.StoreHealth;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StoreHealthTests {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    /** As a reading of a clock that may wrap around at any time. */
    private static final long START = Long.MAX_VALUE - SECOND;

    private final StoreHealth health = new StoreHealth();

    private boolean isDownAfter(int seconds) {
        return health.outage(START + seconds * SECOND) != null;
    }

    @Test
    void storeThatIsNotAskedIsNotDown() {
        assertThat(isDownAfter(1_000)).isFalse();
    }

    @Test
    void storeIsDownIfNoQuestionIsAnsweredForTooLong() {
        health.asked(START);
        health.asked(START + 2 * SECOND);
        assertThat(isDownAfter(2)).isFalse();
        assertThat(isDownAfter(3)).isTrue();
    }

    @Test
    void anyAnswerSaysThatTheStoreIsUp() {
        health.asked(START);
        health.answered();
        assertThat(isDownAfter(3)).isFalse();
        health.asked(START + 3 * SECOND);
        assertThat(isDownAfter(5)).isFalse();
        assertThat(isDownAfter(6)).isTrue();
    }

    @Test
    void failureIsTheReasonUntilTheNextAnswer() {
        LockStoreException reason = new LockStoreException("off", null);
        health.failed(reason);
        health.asked(START);
        assertThat(health.outage(START)).isSameAs(reason);
        health.answered();
        assertThat(health.outage(START)).isNull();
    }
}
