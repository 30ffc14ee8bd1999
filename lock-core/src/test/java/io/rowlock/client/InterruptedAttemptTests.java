package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.request.Handoff;
import io.rowlock.store.LockStore;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.memory.InMemoryLockStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread whose interrupt flag is set, where that ends no wait: on a virtual thread it would close the socket of the store. */
class InterruptedAttemptTests {
    private final List<String> asked = new ArrayList<>();
    private final List<String> interrupted = new ArrayList<>();
    private boolean unanswered;
    private final LockStore real = new InMemoryLockStore();
    private final Thread thread = Thread.currentThread();
    private final LockStore store = (LockStore) Proxy.newProxyInstance(
            LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                if (Thread.currentThread() == thread) {
                    asked.add(method.getName());
                    if (thread.isInterrupted()) {
                        interrupted.add(method.getName());
                    }
                    if (unanswered && method.getName().equals("tryAcquire")) {
                        throw new UncertainOutcomeException("no answer", new IOException());
                    }
                } else if (method.getName().equals("abandon")) {
                    throw new LockStoreException("left to the next attempt", null);
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

    /** Readers may be inside, so the grant asks for them; and an attempt without an answer is ended first. */
    @Test
    void whatStandsInTheWayIsAskedForWithoutIt() {
        client.tryAcquire(LockRequest.shared("a")).orElseThrow().close();
        unanswered = true;
        assertThatExceptionOfType(UncertainOutcomeException.class)
                .isThrownBy(() -> client.tryAcquire(LockRequest.exclusive("a")));
        unanswered = false;
        thread.interrupt();
        client.tryAcquire(LockRequest.exclusive("a")).orElseThrow().close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(asked).contains("abandon", "drained");
        assertThat(interrupted).doesNotContain("abandon", "drained");
    }

    /** Another thread follows at once if none does, so a thread that leaves asks the store for that. */
    @Test
    void itIsAskedWithoutItWhetherAnotherProcessWaits() throws Exception {
        SteeredStore steered = new SteeredStore();
        List<Boolean> flags = new CopyOnWriteArrayList<>();
        steered.waitedFor = () -> {
            flags.add(Thread.currentThread().isInterrupted());
            return true;
        };
        try (RowlockClient handingOn = RowlockClient.builder(steered)
                .handoff(new Handoff(1, Duration.ofMillis(1)))
                .build()) {
            LockRequest request = LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(30));
            HeldLock lock = handingOn.acquire(request);
            FutureTask<HeldLock> next = new FutureTask<>(() -> handingOn.acquire(request));
            HandoffRushTests.inLine(next);
            thread.interrupt();
            lock.close();
            assertThat(Thread.interrupted()).isTrue();
            next.get().close();
        }
        assertThat(flags).containsExactly(false);
    }
}
