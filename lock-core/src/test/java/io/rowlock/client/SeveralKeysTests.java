package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.Use;
import io.rowlock.client.transaction.LoggedTransactions;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.support.TransactionTemplate;

/** A request for several keys, which waits for the last one while it has the others. */
@Timeout(120)
class SeveralKeysTests {
    private static final LockRequest BOTH = LockRequest.exclusive("a", "b").withWaitTime(Duration.ofMinutes(1));

    private static final LockRequest MANY =
            LockRequest.exclusive("a", "b", "c", "d").withWaitTime(Duration.ofSeconds(40));

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final RowlockClient client =
            RowlockClient.builder(store).renewalInterval(Duration.ofMillis(50)).build();
    private final RowlockClient rival = RowlockClient.builder(store).build();

    @AfterEach
    void close() {
        client.close();
        rival.close();
    }

    @Test
    void keyThatWasLostMeanwhileRefusesTheRequest() throws Exception {
        HeldLock last = rival.acquire(LockRequest.exclusive("b"));
        FutureTask<HeldLock> both = new FutureTask<>(() -> client.acquire(BOTH));
        Thread thread = new Thread(both, "both");
        thread.start();
        await().until(() -> client.isLocked("a") && client.admin().waiting("b") == 1);
        store.expire("a");
        await().until(() -> Use.of(client.locks()).leases() == 0); // a renewal has found out
        try (HeldLock taken = rival.acquire(LockRequest.exclusive("a"))) {
            last.close();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(both::get)
                    .withCauseInstanceOf(LockLostException.class);
            assertThat(taken.isHeld()).isTrue();
        }
        await().until(() -> Use.of(client.locks()).threads() == 0);
        rival.acquire(BOTH).close();
        client.acquire(BOTH).close();
    }

    @Test
    void closeInAnOutageKeepsItsThreadForOneKeyOnly() {
        Outage outage = new Outage(store);
        try (RowlockClient process = RowlockClient.builder(outage.store()).build()) {
            HeldLock lock = process.acquire(MANY);
            outage.begin();
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::close);
            outage.end();
            assertThat(outage.failures()).isOne();
            rival.acquire(MANY).close();
            process.acquire(MANY).close();
        }
    }

    @Test
    void endOfATransactionInAnOutageKeepsItsThreadForOneKeyOnly() {
        Outage outage = new Outage(store);
        try (RowlockClient process = RowlockClient.builder(outage.store()).build()) {
            new TransactionTemplate(new LoggedTransactions(new ArrayList<>())).executeWithoutResult(status -> {
                process.acquire(MANY).close();
                outage.begin();
            });
            outage.end();
            assertThat(outage.failures()).isOne();
            rival.acquire(MANY).close();
            process.acquire(MANY).close();
        }
    }

    /** A store that releases nothing for a while. Counts how often the thread of the test found out. */
    private static final class Outage {
        private final LockStore real;
        private final Thread thread = Thread.currentThread();
        private final AtomicInteger failures = new AtomicInteger();
        private volatile boolean down;

        Outage(LockStore real) {
            this.real = real;
        }

        LockStore store() {
            return (LockStore) Proxy.newProxyInstance(
                    LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                        if (down && method.getName().equals("release")) {
                            failures.addAndGet(Thread.currentThread() == thread ? 1 : 0);
                            throw new LockStoreException("the database cannot be reached", null);
                        }
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        void begin() {
            down = true;
        }

        void end() {
            down = false;
        }

        int failures() {
            return failures.get();
        }
    }
}
