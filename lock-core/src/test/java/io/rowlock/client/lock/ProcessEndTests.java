package io.rowlock.client.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a process whose store does not answer. */
@Timeout(60)
class ProcessEndTests {
    private static final int KEYS = 20;
    private static final Duration TTL = Duration.ofHours(1);

    private final AtomicLong clock = new AtomicLong(1_000);
    private final AtomicInteger releases = new AtomicInteger();
    private final CountDownLatch never = new CountDownLatch(1);
    private final InMemoryLockStore table = new InMemoryLockStore();
    private final LockStore store = (LockStore) Proxy.newProxyInstance(
            LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("release")) {
                    releases.incrementAndGet();
                    hang();
                }
                try {
                    return method.invoke(table, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });

    private void hang() {
        try {
            never.await();
        } catch (InterruptedException e) {
            throw new LockStoreException("the database did not answer", e);
        }
    }

    @Test
    void doesNotAwaitOneAnswerForEachLease() {
        LockClientSettings settings = new LockClientSettings(
                store.strategy(), TTL, Duration.ZERO, "", "me", true, null, new Handoff(0, Duration.ZERO));
        ProcessLocks process = new ProcessLocks(
                new RequestResolver(List.of(store), settings),
                new Observers(clock::get, LockLog.NONE, LockInstrumentation.NONE, List.of()));
        List<HeldLock> locks = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            locks.add(process.acquirer().acquire(LockRequest.exclusive("k" + key), Duration.ZERO, false, null));
        }
        assertThat(locks).allMatch(HeldLock::isHeld);
        process.close();
        assertThat(releases.get()).as("some at once").isBetween(2, KEYS - 1);
        clock.addAndGet(TTL.toNanos());
        assertThat(locks).noneMatch(HeldLock::isHeld);
    }
}
