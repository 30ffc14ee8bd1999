package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.StoreCapabilities.Handoffs;
import io.rowlock.test.JdbcBackends;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@OnEachServer
@ExtendWith(JdbcBackends.class)
class SharedLeaseTests extends SharedLeaseContract {
    @Test
    void strategyWithoutSharedModeRefusesASharedRequestBeforeAnySql() {
        LockStore store = mock(LockStore.class);
        given(store.strategy()).willReturn("lease");
        given(store.capabilities())
                .willReturn(
                        new StoreCapabilities(Set.of(LockMode.EXCLUSIVE), Duration.ofSeconds(1), true, Handoffs.RANGE));
        try (RowlockClient client = RowlockClient.builder(store).build()) {
            LockRequest request = LockRequest.shared("a");
            for (Runnable call : List.<Runnable>of(
                    () -> client.validate(request),
                    () -> client.acquire(request),
                    () -> client.tryAcquire(request),
                    () -> client.readWriteLock("a").readLock().lock())) {
                assertThatIllegalArgumentException()
                        .isThrownBy(call::run)
                        .withMessageContaining("\"lease\"")
                        .withMessageContaining("shared");
            }
        }
        verify(store, never()).tryAcquire(any());
    }
}
