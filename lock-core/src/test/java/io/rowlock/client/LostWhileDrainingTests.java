package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.Use;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Drained;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A writer that loses its lease while it waits for readers to leave. */
class LostWhileDrainingTests {
    private final InMemoryLockStore real = new InMemoryLockStore();
    private final AtomicReference<RowlockClient> client = new AtomicReference<>();
    private final LockStore store = (LockStore) Proxy.newProxyInstance(
            LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("drained")) {
                    real.expire((Lease) arguments[0]);
                    await().until(() -> Use.of(client.get().locks()).leases() == 0); // a renewal has found out
                    return new Drained(true, List.of());
                }
                try {
                    return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });

    @Test
    void isToldWhyItHasNoLock() {
        try (RowlockClient writer = RowlockClient.builder(store)
                .renewalInterval(Duration.ofMillis(50))
                .build()) {
            client.set(writer);
            writer.acquire(LockRequest.shared("a")).close(); // so that a writer drains
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> writer.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ZERO)))
                    .withMessageContaining("it expired, was taken over or was released by force");
        }
    }
}
