package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;

import io.rowlock.LockRequest;
import io.rowlock.client.Insides;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.request.ResolvedRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FullPoolTests {
    private final LockStore store = mock(LockStore.class, delegatesTo(new InMemoryLockStore()));

    /** The database answers those who have a connection, so their keys are busy. */
    @Test
    void fullPoolIsNoOutageForOtherKeys() {
        doThrow(new NoConnectionException("in use", null, false)).when(store).tryAcquire(any());
        long start = System.nanoTime(); // silence is another matter
        try (RowlockClient client = RowlockClient.builder(store).build()) {
            LockRequest request = LockRequest.exclusive("a").withWaitTime(Duration.ZERO);
            assertThatExceptionOfType(NoConnectionException.class).isThrownBy(() -> client.acquire(request));
            KeyQueue other = Insides.of(client).queues.use(new ResolvedRequest.Id(store.strategy(), "b", false));
            assertThat(other.health.outage(start)).isNull();
        }
    }
}
