package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

class ContendedKeysTests {
    private final ContendedKeys keys = new ContendedKeys();

    @Test
    void keyIsRememberedForAMoment() {
        assertThat(keys.contains("a")).isFalse();
        await().until(() -> {
            keys.add("a");
            return keys.contains("a") && !keys.contains("b");
        });
        await().until(() -> !keys.contains("a"));
        assertThat(keys.until.size()).isZero();
    }

    @Test
    void keysThatAreNotAskedForAgainTakeNoRoomForLong() {
        for (int i = 0; i < 20_000; i++) {
            keys.add("key-" + i);
            assertThat(keys.until.size()).isLessThanOrEqualTo(1_000);
        }
        await().until(() -> {
            keys.add("a");
            return keys.contains("a");
        });
    }
}
