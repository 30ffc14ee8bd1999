package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.Use;
import io.rowlock.client.transaction.LoggedTransactions;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** A request that failed at its last key. */
class RevokedRequestTests {
    private static final Duration TTL = Duration.ofSeconds(2);

    /** The number of its threads. */
    private static final int BACKGROUND = 4;

    @Test
    void keyThatItHadIsNotRenewedWhileTheBackgroundHangs() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        AtomicInteger hanging = new AtomicInteger();
        LockStore silent = before(new InMemoryLockStore().named("silent"), (call, request) -> {
            if (call.equals("tryAcquire")) {
                throw new UncertainOutcomeException("no answer", null);
            }
            hanging.incrementAndGet();
            await().forever().until(() -> over.getCount() == 0);
        });
        InMemoryLockStore table = new InMemoryLockStore();
        LockStore alive = before(table, (call, request) -> {
            if (call.equals("tryAcquire") && request.key().equals("b")) {
                throw new LockStoreException("it fails", null);
            }
        });
        RowlockClient client = RowlockClient.builder(List.of(silent, alive))
                .strategy(table.strategy())
                .ttl(TTL)
                .build();
        try (RowlockClient rival = RowlockClient.builder(table).build()) {
            for (int i = 0; i < 20; i++) {
                LockRequest unanswered = LockRequest.exclusive("silent-" + i).withStrategy("silent");
                assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> client.acquire(unanswered));
            }
            await().until(() -> hanging.get() >= BACKGROUND);
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> client.acquire(LockRequest.exclusive("a", "b")));
            try (HeldLock lock = rival.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(40)))) {
                assertThat(lock.isHeld()).isTrue();
            }
            // the thread has nothing to close
            client.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(40)))
                    .close();
        } finally {
            over.countDown();
            client.close();
        }
    }

    @Test
    void transactionStillHasTheLockThatItKeptBefore() {
        LockStore store = before(new InMemoryLockStore(), (call, request) -> {
            if (call.equals("tryAcquire") && request.key().equals("b")) {
                throw new LockStoreException("it fails", null);
            }
        });
        try (RowlockClient client = RowlockClient.builder(store).build()) {
            new TransactionTemplate(new LoggedTransactions(new ArrayList<>())).executeWithoutResult(status -> {
                client.acquire(LockRequest.exclusive("a")).close();
                assertThatExceptionOfType(LockStoreException.class)
                        .isThrownBy(() -> client.acquire(LockRequest.exclusive("a", "b")));
                client.acquire(LockRequest.exclusive("a").withWaitTime(Duration.ZERO))
                        .close();
            });
            await().until(() -> Use.of(client.locks()).leases() == 0);
        }
    }

    /** @param action sees each call that has a request, by its name */
    private static LockStore before(LockStore store, BiConsumer<String, LeaseRequest> action) {
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    if (arguments != null && arguments[0] instanceof LeaseRequest request) {
                        action.accept(method.getName(), request);
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
