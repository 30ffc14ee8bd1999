package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.Use;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The question of an adapter that must not acquire what its thread does not have. */
class AcquiredByThreadTests {
    private static final LockRequest KEY = LockRequest.exclusive("a");

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final RowlockClient client =
            RowlockClient.builder(store, new InMemoryLockStore().named("other")).build();

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void lockCountsUntilItIsClosedThoughItIsLost() {
        assertThat(client.isAcquiredByCurrentThread(KEY)).isFalse();
        assertThat(Use.of(client.locks()).leases()).isZero();
        try (HeldLock lock = client.acquire(KEY)) {
            assertThat(client.isAcquiredByCurrentThread(KEY)).isTrue();
            store.expire("a");
            assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::extend);
            assertThat(client.isHeldByCurrentThread("a")).isFalse();
            assertThat(client.isAcquiredByCurrentThread(KEY)).isTrue();
        }
        assertThat(client.isAcquiredByCurrentThread(KEY)).isFalse();
    }

    @Test
    void lockOfAnotherStrategyOrThreadDoesNotCount() throws Exception {
        try (HeldLock lock = client.acquire(KEY)) {
            assertThat(lock.isHeld()).isTrue();
            assertThat(client.isAcquiredByCurrentThread(KEY.withStrategy("other")))
                    .isFalse();
            FutureTask<Boolean> asked = new FutureTask<>(() -> client.isAcquiredByCurrentThread(KEY));
            new Thread(asked, "another").start();
            assertThat(asked.get()).isFalse();
        }
    }
}
