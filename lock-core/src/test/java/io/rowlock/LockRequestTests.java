package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.rowlock.client.RowlockClient;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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

    @Test
    void missingKeyIsNamed() {
        String missing = null;
        for (ThrowingCallable request : List.<ThrowingCallable>of(
                () -> LockRequest.exclusive(missing),
                () -> LockRequest.shared("a", missing),
                () -> LockRequest.permit(missing, 1),
                () -> LockRequest.of(LockMode.SHARED, Collections.singleton(missing)))) {
            assertThatIllegalArgumentException().isThrownBy(request).withMessage("A lock key must not be null");
        }
    }

    @Test
    void longestKeyIsCountedInBytes() {
        String longest = "é".repeat(127) + "x";
        assertThat(LockRequest.exclusive(longest).keys()).containsExactly(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.exclusive(longest + "y"))
                .withMessage("The lock key \"%s…\" has 256 bytes of UTF-8, the limit is 255".formatted("é".repeat(80)));
    }

    @Test
    void aKeyHasOneToAThousandPermits() {
        assertThat(LockRequest.permit("k", 1).permits()).isOne();
        assertThat(LockRequest.permit("k", 1_000).permits()).isEqualTo(1_000);
        for (int refused : List.of(0, 1_001)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LockRequest.permit("k", refused))
                    .withMessage("The permits must be 1 to 1000, but are " + refused);
        }
    }

    @Test
    void missingActionIsRefusedWhenItIsGiven() {
        try (RowlockClient client =
                        RowlockClient.builder(new InMemoryLockStore()).build();
                HeldLock lock = client.acquire(request)) {
            assertThatNullPointerException().isThrownBy(() -> lock.onLost(null)).withMessage("action");
        }
    }
}
