package io.rowlock.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a strategy has to bring stays small. */
class LockStoreTests {
    @Test
    void hasAtMostFourteenMethods() {
        assertThat(LockStore.class.getDeclaredMethods())
                .filteredOn(method -> !method.isSynthetic()) // coverage adds one
                .hasSizeLessThanOrEqualTo(14);
    }
}
