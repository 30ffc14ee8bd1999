package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockRequest;
import io.rowlock.client.lock.Use;
import io.rowlock.client.transaction.LoggedTransactions;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction under so many locks that to check them takes longer than a lease lasts. */
@Timeout(120)
class ManyKeysAtCommitTests {
    private static final String LAST = "d";

    private final AtomicInteger renewalsOfLast = new AtomicInteger();
    private final List<String> asked = new ArrayList<>();
    private final LockStore real = new InMemoryLockStore();
    private final LockStore store = (LockStore) Proxy.newProxyInstance(
            LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("renew")) {
                    boolean last = ((List<?>) arguments[0])
                            .stream().anyMatch(each -> ((Lease) each).key().equals(LAST));
                    renewalsOfLast.addAndGet(last ? 1 : 0);
                }
                try {
                    return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });

    /** A check that protects the leases it has passed, and takes as long as a renewal of the last one. */
    private boolean check(Lease lease) {
        asked.add(lease.key());
        int before = renewalsOfLast.get();
        if (!lease.key().equals(LAST)) {
            await().atMost(Duration.ofSeconds(30)).until(() -> renewalsOfLast.get() > before);
        }
        return true;
    }

    @Test
    void thoseThatAreNotYetCheckedAreRenewed() {
        LoggedTransactions transactions = new LoggedTransactions(new ArrayList<>());
        try (RowlockClient client = RowlockClient.builder(store)
                .renewalInterval(Duration.ofMillis(50))
                .build()) {
            CommitCheck check = this::check;
            transactions.addListener(Fences.of(client, Map.of(store.strategy(), check)));
            new TransactionTemplate(transactions)
                    .executeWithoutResult(status -> List.of("b", LAST, "a", "c")
                            .forEach(key ->
                                    client.acquire(LockRequest.exclusive(key)).close()));
            assertThat(asked).as("no two transactions wait for each other").containsExactly("a", "b", "c", LAST);
            assertThat(Use.of(client.locks()).leases()).isZero();
        }
    }

    /** Not renewed for as long as it is asked, and nothing waits for its renewal once that has fallen due. */
    @Test
    void oneThatIsFoundElsewhereIsRenewedBeforeItsTransactionEnds() {
        AtomicInteger seen = new AtomicInteger(-1);
        CommitCheck elsewhere = new CommitCheck() {
            @Override
            public boolean isHeld(Lease lease) {
                await().during(Duration.ofMillis(500))
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> seen.getAndSet(renewalsOfLast.get()) == renewalsOfLast.get());
                return true;
            }

            @Override
            public boolean isElsewhere() {
                return true;
            }
        };
        LoggedTransactions transactions = new LoggedTransactions(new ArrayList<>());
        try (RowlockClient client = RowlockClient.builder(store)
                .renewalInterval(Duration.ofMillis(50))
                .build()) {
            transactions.addListener(Fences.of(client, Map.of(store.strategy(), elsewhere)));
            transactions.addListener(new TransactionExecutionListener() {
                @Override
                public void beforeCommit(TransactionExecution passed) {
                    await().atMost(Duration.ofSeconds(5)).until(() -> renewalsOfLast.get() > seen.get());
                }
            });
            new TransactionTemplate(transactions)
                    .executeWithoutResult(status ->
                            client.acquire(LockRequest.exclusive(LAST)).close());
        }
        assertThat(seen).hasNonNegativeValue();
    }
}
