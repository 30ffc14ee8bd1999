package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.client.RowlockClient;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ManyKeysTests {
    private static LockRequest request(int keys) {
        return LockRequest.exclusive(
                IntStream.range(0, keys).mapToObj(i -> "key-" + i).toArray(String[]::new));
    }

    @Test
    void thousandFreeKeysAreAcquiredWithoutAWait() {
        try (RowlockClient client =
                RowlockClient.builder(new InMemoryLockStore()).owner("many").build()) {
            assertThat(client.tryAcquire(request(1_000).withWaitTime(Duration.ZERO)))
                    .get()
                    .satisfies(lock -> assertThat(lock.isHeld()).isTrue())
                    .satisfies(HeldLock::close);
        }
    }

    @Test
    void moreKeysThanAThousandAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request(1_001))
                .withMessageContaining("1000 keys at most, but has 1001");
    }
}
