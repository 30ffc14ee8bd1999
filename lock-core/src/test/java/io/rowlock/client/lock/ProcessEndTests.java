package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.observe.LockInstrumentation;
import io.rowlock.client.observe.Observers;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockClientSettings;
import io.rowlock.client.request.RequestResolver;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The end of a process whose store does not answer. */
class ProcessEndTests {
    private static final int KEYS = 20;
    private static final Duration ANSWER = Duration.ofSeconds(6);

    private final AtomicLong clock = new AtomicLong(1_000);
    private final AtomicInteger releases = new AtomicInteger();
    private final InMemoryLockStore table = new InMemoryLockStore();
    private final LockStore store = (LockStore) Proxy.newProxyInstance(
            LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("release")) {
                    releases.incrementAndGet();
                    clock.addAndGet(ANSWER.toNanos());
                    throw new LockStoreException("the database does not answer", null);
                }
                try {
                    return method.invoke(table, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });

    @Test
    void doesNotAwaitOneAnswerForEachLease() {
        LockClientSettings settings = new LockClientSettings(
                store.strategy(),
                Duration.ofHours(1),
                Duration.ZERO,
                "",
                "me",
                true,
                null,
                new Handoff(0, Duration.ZERO));
        ProcessLocks process = new ProcessLocks(
                new RequestResolver(List.of(store), settings),
                new Observers(clock::get, LockLog.NONE, LockInstrumentation.NONE, List.of()));
        for (int key = 0; key < KEYS; key++) {
            assertThat(process.acquirer()
                            .acquire(LockRequest.exclusive("k" + key), Duration.ZERO, false, null)
                            .isHeld())
                    .isTrue();
        }
        process.close();
        assertThat(releases.get())
                .as("the last tries, and as many as time allows before")
                .isBetween(KEYS, 2 * KEYS - 1);
        assertThat(process.use().leases()).isZero();
    }
}
