package io.rowlock.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a strategy has to bring stays small. */
class LockStoreTests {
    @Test
    void hasAtMostFourteenMethods() {
        assertThat(LockStore.class.getDeclaredMethods()).hasSizeLessThanOrEqualTo(14);
    }
}
