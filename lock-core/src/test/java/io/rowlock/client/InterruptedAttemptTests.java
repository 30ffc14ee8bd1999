package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread whose interrupt flag is set, where that ends no wait: on a virtual thread it would close the socket of the store. */
class InterruptedAttemptTests {
    private final List<String> interrupted = new ArrayList<>();
    private final LockStore real = new InMemoryLockStore();
    private final Thread thread = Thread.currentThread();
    private final LockStore store = (LockStore) Proxy.newProxyInstance(
            LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                if (Thread.currentThread() == thread && thread.isInterrupted()) {
                    interrupted.add(method.getName());
                }
                try {
                    return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    private final RowlockClient client = RowlockClient.builder(store).build();

    @AfterEach
    void close() {
        boolean unused = Thread.interrupted();
        client.close();
    }

    @Test
    void storeIsAskedWithoutIt() {
        thread.interrupt();
        HeldLock lock = client.tryAcquire(LockRequest.exclusive("a")).orElseThrow();
        lock.extend(Duration.ofMinutes(1));
        lock.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted).doesNotContain("tryAcquire", "renew", "release");
    }
}
