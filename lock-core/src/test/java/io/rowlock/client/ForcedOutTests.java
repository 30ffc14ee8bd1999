package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.client.transaction.LoggedTransactions;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Of several holders of a key in one process, an operator ends some, and others come meanwhile. */
class ForcedOutTests {
    private final InMemoryLockStore store = new InMemoryLockStore();

    @Test
    void permitBesideTheOneThatWasEndedIsKept() throws Exception {
        LockRequest request = LockRequest.permit("a", 2);
        try (RowlockClient client = RowlockClient.builder(store).build()) {
            HeldLock first = onAThread(client, request);
            LiveLock ended = store.inspection().orElseThrow().holders("a").get(0);
            HeldLock second = onAThread(client, request);
            List<LiveLock> both = store.inspection().orElseThrow().holders("a");
            assertThat(both).hasSize(2).extracting(LiveLock::fence).containsOnly(ended.fence());
            Insides.of(client).forcedOut(store.strategy(), ended);
            assertThat(first.isLost()).isTrue();
            assertThat(second.isLost()).isFalse();
        }
    }

    @Test
    void allHoldersAreEndedAndToldThoughThatCannotBeLogged() throws Exception {
        try (RowlockClient client = RowlockClient.builder(store).build()) {
            List<HeldLock> holders = List.of(
                    onAThread(client, LockRequest.permit("a", 2)), onAThread(client, LockRequest.permit("a", 2)));
            FullDisk.during(
                    LockAdmin.class,
                    () -> assertThat(client.admin().release("a", "operator", "test"))
                            .hasSize(2));
            assertThat(holders).allMatch(HeldLock::isLost);
        }
    }

    /** Entering the lock again meanwhile must not matter. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void grantThatATransactionKeepsHearsOfTheLoss(boolean again) {
        AtomicInteger told = new AtomicInteger();
        try (RowlockClient client = RowlockClient.builder(store).build()) {
            new TransactionTemplate(new LoggedTransactions(new ArrayList<>())).executeWithoutResult(status -> {
                HeldLock kept = client.acquire(LockRequest.exclusive("a"));
                kept.onLost(event -> told.incrementAndGet());
                kept.close();
                if (again) {
                    client.acquire(LockRequest.exclusive("a")).close();
                }
                Insides.of(client)
                        .forcedOut(
                                store.strategy(),
                                store.inspection().orElseThrow().holders("a").get(0));
                await().untilAsserted(() -> assertThat(told).hasValue(1));
                status.setRollbackOnly();
            });
        }
    }

    @Test
    void nestedGrantsOfTransactionsThatAreOverHearNothing() {
        List<String> told = new CopyOnWriteArrayList<>();
        try (RowlockClient client = RowlockClient.builder(store).build();
                HeldLock outer = client.acquire(LockRequest.exclusive("a"))) {
            outer.onLost(event -> told.add("outer"));
            new TransactionTemplate(new LoggedTransactions(new ArrayList<>())).executeWithoutResult(status -> {
                HeldLock nested = client.acquire(LockRequest.exclusive("a"));
                nested.onLost(event -> told.add("nested"));
                nested.close();
            });
            Insides.of(client)
                    .forcedOut(
                            store.strategy(),
                            store.inspection().orElseThrow().holders("a").get(0));
            await().until(() -> told.contains("outer"));
            outer.onLost(event -> told.add("late"));
            await().until(() -> told.contains("late"));
        }
        assertThat(told).containsExactly("outer", "late");
    }

    private static HeldLock onAThread(RowlockClient client, LockRequest request) throws Exception {
        FutureTask<HeldLock> acquired = new FutureTask<>(() -> client.acquire(request));
        new Thread(acquired, "holder").start();
        return acquired.get();
    }
}
