package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.StaleReadException;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that acquire a lock after they have begun to read. */
@OnRedis
@ExtendWith(OutputCaptureExtension.class)
@OnEachServer(dependsOnServer = true)
class EarlySnapshotTests extends EarlyReads {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String key = "item:" + id;
    private final JdbcTemplate jdbc = node.getBean(JdbcTemplate.class);

    @BeforeServer
    static void start(RedisServer redis) {
        schema.jdbc().execute("CREATE TABLE stock (id INT PRIMARY KEY, amount INT NOT NULL)");
        start(new TestApplication(schema).withRedis(redis).with("rowlock.strategy", "lease"));
    }

    @BeforeEach
    void rows() {
        schema.jdbc().update("INSERT INTO stock VALUES (?, 0), (?, 0)", id, -id);
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void transactionThatReadBeforeTheGrantIsRefused(String strategy) {
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    readOther();
                    locked(exclusive(strategy), this::sell);
                }))
                .withMessageContaining(key)
                .withMessageContaining("REQUIRES_NEW");
        assertAmount(0);
    }

    /** As a leader's work does. */
    @Test
    void transactionThatReadBeforeTheGrantOfALockThatItReliesOnIsRefused() {
        AtomicReference<HeldLock> leadership = new AtomicReference<>();
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    readOther();
                    leadership.set(acquiredElsewhere());
                    sellRelyingOn(leadership.get());
                }));
        transaction.executeWithoutResult(status -> sellRelyingOn(leadership.get()));
        leadership.get().close();
        assertAmount(1);
    }

    private HeldLock acquiredElsewhere() {
        return CompletableFuture.supplyAsync(() -> {
                    HeldLock lock = locks.acquire(exclusive("lease"));
                    ((DetachableLock) lock).detach();
                    return lock;
                })
                .join();
    }

    private void sellRelyingOn(HeldLock lock) {
        try (CommitGuard guard = ((DetachableLock) lock).rely()) {
            sell();
        }
    }

    @Test
    void transactionThatReadBeforeASavepointIsRefused() {
        TransactionTemplate nested = new TransactionTemplate(transaction.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    readOther();
                    nested.executeWithoutResult(savepoint -> {});
                    locked(exclusive("lease"), this::sell);
                }));
        assertAmount(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void transactionThatReadsAfterTheGrantCommits(String strategy) {
        transaction.executeWithoutResult(status -> {
            jdbc.update("UPDATE stock SET amount = 1 WHERE id = ?", -id);
            locked(exclusive(strategy), this::sell);
        });
        assertAmount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "row-lock", "redis"})
    void secondLockOfATransactionMayComeLaterButNotAfterARead(String strategy) {
        LockRequest second = LockRequest.exclusive(key + "b").withStrategy(strategy);
        transaction.executeWithoutResult(status -> locked(exclusive(strategy), () -> locked(second, this::sell)));
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> locked(exclusive(strategy), () -> {
                    sell();
                    locked(second, this::sell);
                })))
                .withMessageContaining(key + "b");
        assertAmount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "row-lock", "redis"})
    void readerIsCheckedAsWell(String strategy) {
        LockRequest shared = shared(strategy);
        transaction.executeWithoutResult(status -> locked(shared, this::sell));
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    readOther();
                    locked(shared, this::sell);
                }));
        assertAmount(1);
    }

    @ParameterizedTest
    @CsvSource({
        "lease, EXCLUSIVE",
        "lease, SHARED",
        "row-lock, EXCLUSIVE",
        "row-lock, SHARED",
        "redis, EXCLUSIVE",
        "redis, SHARED"
    })
    void transactionThatGetsTheLockFromAThreadOfItsProcessIsChecked(String strategy, LockMode mode) throws Exception {
        LockRequest second = mode == LockMode.EXCLUSIVE ? exclusive(strategy) : shared(strategy);
        assertThat(followsAfter(this::readOther, strategy, second)).isInstanceOf(StaleReadException.class);
        assertAmount(0);
        assertThat(followsAfter(() -> {}, strategy, second)).isNull();
        assertAmount(1);
    }

    /** @return what the commit of the thread that follows has thrown, or null */
    private Throwable followsAfter(Runnable before, String strategy, LockRequest request) throws Exception {
        CountDownLatch hasRead = new CountDownLatch(1);
        HeldLock first = locks.acquire(exclusive(strategy));
        CompletableFuture<Throwable> second = CompletableFuture.supplyAsync(() -> {
            try {
                transaction.executeWithoutResult(status -> {
                    before.run();
                    hasRead.countDown();
                    locked(request, this::sell);
                });
                return null;
            } catch (RuntimeException e) {
                return e;
            }
        });
        assertThat(hasRead.await(1, TimeUnit.MINUTES)).isTrue();
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> ((RowlockClient) locks).admin().waiting(key) > 0);
        first.close();
        return second.get(1, TimeUnit.MINUTES);
    }

    @Test
    void readCommittedCommits() {
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        for (String strategy : new String[] {"lease", "unique-key", "row-lock", "redis"}) {
            transaction.executeWithoutResult(status -> {
                readOther();
                locked(exclusive(strategy), this::sell);
            });
        }
        assertAmount(4);
    }

    @Test
    void readOnlyTransactionCommits() {
        transaction.setReadOnly(true);
        transaction.executeWithoutResult(status -> {
            readOther();
            locked(exclusive("lease"), this::readOther);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "row-lock", "redis"})
    void lockThatTheThreadHadBeforeTheTransactionMayBeEnteredAgain(String strategy) {
        locked(
                exclusive(strategy),
                () -> transaction.executeWithoutResult(status -> {
                    readOther();
                    locked(exclusive(strategy), this::sell);
                }));
        assertAmount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "row-lock", "redis"})
    void lockOfTheTransactionMayBeEnteredAgainAfterARead(String strategy) {
        transaction.executeWithoutResult(status -> {
            locked(exclusive(strategy), () -> {
                readOther();
                locked(exclusive(strategy), this::sell);
            });
            locked(exclusive(strategy), this::sell);
        });
        assertAmount(2);
    }

    @Test
    void permitCommits() {
        transaction.executeWithoutResult(status -> {
            readOther();
            locked(LockRequest.permit(key, 3), this::sell);
        });
        assertAmount(1);
    }

    @Test
    void viewIsChecked() {
        Lock view = locks.lock(key);
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    readOther();
                    view.lock();
                    try {
                        sell();
                    } finally {
                        view.unlock();
                    }
                }));
        assertAmount(0);
    }

    /** The body cannot be told from one of the outer transaction. */
    @ParameterizedTest
    @ValueSource(
            ints = {TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED})
    void transactionAroundTheClientsLockOfAnInnerOneIsRefused(int propagation) {
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    readOther();
                    locked(exclusive("lease"), () -> inner(propagation, this::sell));
                }))
                .withMessageContaining("under the client's lock in an inner transaction needs the lock outside, too");
        assertAmount(1);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED})
    void transactionAroundAnInnerOneThatAcquiresTheLockCommits(int propagation) {
        transaction.executeWithoutResult(status -> {
            readOther();
            inner(propagation, () -> locked(exclusive("lease"), this::sell));
            jdbc.update("UPDATE stock SET amount = 1 WHERE id = ?", -id);
        });
        assertAmount(1);
        assertAmount("stock", -id, 1);
    }

    private void inner(int propagation, Runnable body) {
        TransactionTemplate inner = new TransactionTemplate(transaction.getTransactionManager());
        inner.setPropagationBehavior(propagation);
        inner.executeWithoutResult(status -> body.run());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lenient", "noisy"})
    void settingOfTheLockWins(String name, CapturedOutput output) {
        transaction.executeWithoutResult(status -> {
            readOther();
            locked(exclusive("lease").withName(name), this::sell);
        });
        assertAmount(1);
        assertThat(output.getAll().contains("\"" + key + "\". Under")).isEqualTo(name.equals("noisy"));
    }

    /** The lock "strict" has a setting of its own, which wins. */
    @ParameterizedTest
    @ValueSource(strings = {"warn", "allow"})
    void globalSettingIsThatOfAllOtherLocks(String setting, CapturedOutput output) {
        LockRequest request = LockRequest.exclusive("item:" + id);
        try (var context = new TestApplication(schema)
                .with("rowlock.fencing.stale-snapshot", setting)
                .with("rowlock.locks.strict.stale-snapshot", "refuse")
                .start()) {
            readThenSell(context, request);
            assertAmount("stock", id, 1);
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(() -> readThenSell(context, request.withName("strict")));
            assertAmount("stock", id, 1);
        }
        assertThat(output.getAll().contains("\"item:" + id + "\". Under")).isEqualTo(setting.equals("warn"));
    }

    private void readThenSell(ConfigurableApplicationContext context, LockRequest request) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            jdbc.queryForList("SELECT * FROM stock WHERE id = ?", -id);
            try (HeldLock lock = context.getBean(LockClient.class).acquire(request)) {
                assertThat(lock.isHeld()).isTrue();
                jdbc.update("UPDATE stock SET amount = amount + 1 WHERE id = ?", id);
            }
        });
    }

    /** Unchecked, 28 of 20 were sold: a buyer saw the stock as it was before the sale of another. */
    @Test
    void nothingIsSoldToBuyersWhoReadBeforeTheLock() {
        schema.jdbc().update("UPDATE stock SET amount = 20 WHERE id = ?", id);
        AtomicInteger sold = new AtomicInteger();
        inParallel(40, () -> sold.addAndGet(buys() ? 1 : 0));
        assertThat(sold).hasValue(0);
        assertAmount(20);
    }

    private boolean buys() {
        try {
            return Boolean.TRUE.equals(transaction.execute(status -> {
                readOther();
                try (HeldLock lock = locks.acquire(exclusive("lease"))) {
                    int left = jdbc.queryForObject("SELECT amount FROM stock WHERE id = ?", Integer.class, id);
                    return left > 0 && jdbc.update("UPDATE stock SET amount = ? WHERE id = ?", left - 1, id) == 1;
                }
            }));
        } catch (StaleReadException e) {
            return false;
        }
    }

    // ----

    private LockRequest exclusive(String strategy) {
        return LockRequest.exclusive(key).withStrategy(strategy).withWaitTime(PATIENCE);
    }

    private LockRequest shared(String strategy) {
        return LockRequest.shared(key).withStrategy(strategy).withWaitTime(PATIENCE);
    }

    private void locked(LockRequest request, Runnable body) {
        try (HeldLock lock = locks.acquire(request)) {
            body.run();
        }
    }

    private void readOther() {
        jdbc.queryForObject("SELECT amount FROM stock WHERE id = ?", Integer.class, -id);
    }

    private void sell() {
        int amount = jdbc.queryForObject("SELECT amount FROM stock WHERE id = ?", Integer.class, id);
        jdbc.update("UPDATE stock SET amount = ? WHERE id = ?", amount + 1, id);
    }

    private void assertAmount(int expected) {
        assertAmount("stock", id, expected);
    }
}
