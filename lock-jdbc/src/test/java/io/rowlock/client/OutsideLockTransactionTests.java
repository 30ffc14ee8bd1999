package io.rowlock.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.lock.DetachableLock;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.jdbc.fence.TokenFence;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TransactionConnection;
import io.rowlock.store.memory.InMemoryLockStore;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions under locks that are kept outside of their database, through Spring, for two processes. */
@Order(13)
@OnEachServer
class OutsideLockTransactionTests {
    private static final Duration PATIENCE = ofSeconds(15);

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final String key = "key-" + UUID.randomUUID();
    private TestSchema schema;
    private HikariDataSource locks;
    private OneProcess process;
    private OneProcess rival;

    @BeforeEach
    void start(TestSchema given) {
        schema = given;
        locks = Pools.locks(schema);
        process = new OneProcess("process", true);
        rival = new OneProcess("rival", true);
        process.sql.execute("CREATE TABLE IF NOT EXISTS entry (name VARCHAR(99) NOT NULL)");
    }

    @AfterEach
    void stop() {
        process.close();
        rival.close();
        locks.close();
    }

    /** One process: its client, its pool, and its transactions. */
    private final class OneProcess implements AutoCloseable {
        final RowlockClient client;
        final HikariDataSource pool = Pools.application(schema, 4);
        final JdbcTransactionManager manager = new JdbcTransactionManager(pool);
        final JdbcTemplate sql = new JdbcTemplate(pool);
        final List<String> overtaken = new ArrayList<>();

        OneProcess(String owner, boolean atBegin) {
            client = RowlockClient.builder(store).owner(owner).build();
            LockDatabase database = new LockDatabase(locks, 8, Node.QUERY_TIMEOUT);
            CommitCheck fence = new TokenFence(pool, database, Node.PREFIX, atBegin, (lease, seen) -> {
                overtaken.add(lease.key());
                store.expire(lease);
            });
            manager.addListener(new TransactionFence(
                    client,
                    new OpenTransactions.Rules(
                            Map.of(InMemoryLockStore.NAME, fence),
                            null,
                            client.staleReads(),
                            null,
                            () -> TransactionConnection.rollBack(pool),
                            () -> new TransactionConnection(pool, Node.QUERY_TIMEOUT).onlyReads(),
                            () -> new TransactionConnection(pool, Node.QUERY_TIMEOUT).rowLocks(),
                            OpenTransactions.boundUnder(pool),
                            pool)));
        }

        HeldLock take(String... keys) {
            return client.acquire(LockRequest.exclusive(keys));
        }

        void inTransaction(Runnable body) {
            new TransactionTemplate(manager).executeWithoutResult(status -> body.run());
        }

        TransactionTemplate transaction(int propagation) {
            TransactionTemplate template = new TransactionTemplate(manager);
            template.setPropagationBehavior(propagation);
            return template;
        }

        void requiresNew(Runnable body) {
            transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(status -> body.run());
        }

        void store() {
            sql.update("INSERT INTO entry VALUES (?)", key);
        }

        void assertNothingBound() {
            assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
            assertThat(TransactionSynchronizationManager.isSynchronizationActive())
                    .isFalse();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }

        @Override
        public void close() {
            client.close();
            pool.close();
        }
    }

    /**
     * A process whose sessions wait one second for a row. Then the server itself says so: if the driver has to end the statement, on a
     * busy machine that may be more than a second late, and the connection is given up, with which no transaction can be rolled back.
     */
    private OneProcess impatient() {
        schema = withOption("sessionVariables=innodb_lock_wait_timeout=1");
        return new OneProcess("impatient", true);
    }

    private TestSchema withOption(String option) {
        String url = schema.jdbcUrl();
        url += (url.contains("?") ? "&" : "?") + option;
        return new TestSchema(schema.name(), url, schema.username(), schema.password());
    }

    private int stored() {
        return process.sql.queryForObject("SELECT COUNT(*) FROM entry WHERE name = ?", Integer.class, key);
    }

    private Long noted() {
        return process.sql.queryForObject(
                "SELECT MAX(token) FROM rowlock_fence WHERE lock_key = ?", Long.class, (Object) key.getBytes(UTF_8));
    }

    private void note(String of, long token) {
        rival.sql.update(
                "INSERT INTO rowlock_fence VALUES (?, ?, UTC_TIMESTAMP(6)) ON DUPLICATE KEY UPDATE token = ?",
                of.getBytes(UTF_8),
                token,
                token);
    }

    /** Its holder finds out by its next renewal only, as if the server of the locks had lost its data. */
    private HeldLock takenOver() {
        store.expire(key);
        return rival.take(key);
    }

    /** The later holder's transaction, in a thread of its own. */
    private CompletableFuture<Integer> takenOverBy(Callable<Integer> body) {
        return async(() -> {
            try (HeldLock later = takenOver()) {
                assertThat(later.isHeld()).isTrue();
                return rival.transaction(TransactionDefinition.PROPAGATION_REQUIRED)
                        .execute(status -> {
                            try {
                                return body.call();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
            }
        });
    }

    private static <T> CompletableFuture<T> async(Callable<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private void overtaken() {
        assertThat(takenOverBy(() -> 1)).succeedsWithin(PATIENCE);
    }

    private static void assertWaits(CompletableFuture<?> transaction) {
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> transaction.get(300, TimeUnit.MILLISECONDS));
    }

    // ---- the holder that was overtaken

    @Test
    void overtakenHolderIsRefusedItsCommitAndLeavesNothingBehind() {
        HeldLock lock = process.take(key);
        overtaken();
        List<String> ran = new ArrayList<>();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> process.inTransaction(() -> {
                    ran.add("body");
                    process.store();
                }))
                .withMessageContaining(key);
        assertThat(ran).containsExactly("body");
        assertThat(stored()).isZero();
        assertThat(process.overtaken).containsExactly(key);
        assertThat(lock.isHeld()).isFalse();
        process.assertNothingBound();
        lock.close();
        process.inTransaction(process::store);
        assertThat(stored()).isOne();
    }

    /** A transaction marked as to be rolled back would end without an exception. */
    @Test
    void refusalIsAnExceptionForACallerThatCommitsItself() {
        process.take(key);
        overtaken();
        TransactionStatus status = process.manager.getTransaction(TransactionDefinition.withDefaults());
        assertThat(status.isRollbackOnly()).isFalse();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> process.manager.commit(status));
        assertThat(status.isCompleted()).isTrue();
        process.assertNothingBound();
    }

    @Test
    void exceptionOfTheBodyIsTheOneThatIsThrown() {
        process.take(key);
        overtaken();
        assertThatThrownBy(() -> process.inTransaction(() -> {
                    throw new IllegalArgumentException("of the body");
                }))
                .hasMessage("of the body");
        process.assertNothingBound();
    }

    @Test
    void refusedInnerTransactionLeavesTheOuterOneAsItWas() {
        process.inTransaction(() -> {
            process.store();
            process.transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED).executeWithoutResult(status -> {
                try (HeldLock lock = process.take(key)) {
                    note(key, lock.fencingToken() + 1);
                    assertThatExceptionOfType(LockLostException.class)
                            .isThrownBy(() -> process.requiresNew(process::store));
                }
            });
            assertThat(stored()).as("seen by the transaction itself").isOne();
            process.store();
        });
        assertThat(stored()).isEqualTo(2);
        process.assertNothingBound();
    }

    /** Its body goes on for a while, which must not keep the row locked. */
    @Test
    void refusedTransactionLetsTheLaterHolderIn() {
        process.take(key);
        overtaken();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> process.inTransaction(
                        () -> assertThat(takenOverBy(() -> 1)).succeedsWithin(ofSeconds(1))));
    }

    @Test
    void successorWaitsForTheOpenTransactionAndReadsWhatItStored() {
        HeldLock lock = process.take(key);
        List<CompletableFuture<Integer>> later = new ArrayList<>();
        process.inTransaction(() -> {
            process.store();
            later.add(takenOverBy(
                    () -> rival.sql.queryForObject("SELECT COUNT(*) FROM entry WHERE name = ?", Integer.class, key)));
            assertWaits(later.get(0));
        });
        assertThat(later.get(0)).succeedsWithin(PATIENCE).isEqualTo(1);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> process.inTransaction(process::store));
        assertThat(stored()).isOne();
        lock.close();
    }

    /** The server rolled it back, as the victim of a deadlock for instance, and the body went on. */
    @Test
    void transactionThatHasLostItsRowLockIsRefusedOnceALaterHolderWasThere() {
        HeldLock lock = process.take(key);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> process.inTransaction(() -> {
                    process.sql.execute("ROLLBACK");
                    note(key, lock.fencingToken() + 128);
                    process.store();
                }));
        assertThat(stored()).isZero();
        process.assertNothingBound();
    }

    @Test
    void transactionThatHasLostItsRowLockHasItAgainWhenItCommits() {
        process.take(key);
        process.inTransaction(() -> {
            process.sql.execute("ROLLBACK");
            process.store();
        });
        assertThat(stored()).isOne();
    }

    @Test
    void applicationsLastInsertIdIsItsOwn() {
        process.sql.execute("CREATE TABLE IF NOT EXISTS numbered (id BIGINT AUTO_INCREMENT PRIMARY KEY, v INT)");
        for (int transaction = 0; transaction < 3; transaction++) {
            process.inTransaction(() -> {
                process.sql.update("INSERT INTO numbered (v) VALUES (1)");
                Long own = process.sql.queryForObject("SELECT MAX(id) FROM numbered", Long.class);
                HeldLock lock = process.take(key);
                assertThat(process.sql.queryForObject("SELECT LAST_INSERT_ID()", Long.class))
                        .isEqualTo(own);
                lock.close();
            });
        }
        assertThat(noted()).isNotNull();
    }

    @Test
    void transactionOfAFormerHolderThatHangsRefusesThatOfItsSuccessor() {
        rival.close();
        rival = impatient();
        HeldLock lock = process.take(key);
        process.inTransaction(() -> {
            CompletableFuture<Integer> later = takenOverBy(() -> rival.sql.update("INSERT INTO entry VALUES (?)", key));
            assertThat(later)
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(LockStoreException.class)
                    .withMessageContaining("transaction of a former holder is still open");
        });
        assertThat(stored()).isZero();
        lock.close();
    }

    // ---- the lease goes on

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leaseIsRenewedWhileTheTransactionLasts(boolean atBegin) {
        try (OneProcess other = new OneProcess("other", atBegin);
                HeldLock lock = other.client.acquire(LockRequest.exclusive(key).withTtl(ofSeconds(9)))) {
            other.inTransaction(() -> {
                other.store();
                other.sql.queryForList("SELECT SLEEP(10)");
            });
            assertThat(lock.isHeld()).isTrue();
        }
        assertThat(stored()).isOne();
    }

    @Test
    void checkRightBeforeTheCommitIsTheLastThingThatATransactionDoes() {
        try (OneProcess other = new OneProcess("other", false)) {
            HeldLock lock = other.take(key);
            other.inTransaction(() -> assertThat(noted()).isNull());
            assertThat(noted()).isEqualTo(lock.fencingToken());
            note(key, lock.fencingToken() + 1);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> other.inTransaction(other::store));
            assertThat(stored()).isZero();
            other.assertNothingBound();
        }
    }

    // ---- several transactions, several keys

    @Test
    void secondTransactionOfTheThreadDoesNotWaitForTheFirst() {
        HeldLock lock = process.take(key);
        process.inTransaction(() -> {
            process.store();
            process.requiresNew(() -> {
                process.store();
                process.take(key).close();
            });
        });
        assertThat(stored()).isEqualTo(2);
        lock.close();
    }

    /** The first one's row lock is what protects it, so that must be there when it commits. */
    @Test
    void secondTransactionIsRefusedOnceTheFirstHasLostItsRowLock() {
        HeldLock lock = process.take(key);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> process.inTransaction(() -> {
                    Connection outer = DataSourceUtils.getConnection(process.pool);
                    process.requiresNew(() -> {
                        process.store();
                        try {
                            outer.rollback();
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                        note(key, lock.fencingToken() + 1);
                    });
                }));
        assertThat(stored()).isZero();
        process.assertNothingBound();
    }

    @Test
    void allKeysOfTheThreadAreNoted() {
        HeldLock both = process.take("b-" + key, "a-" + key);
        HeldLock third = process.take(key);
        process.inTransaction(process::store);
        for (HeldLock each : both.parts()) {
            assertThat(process.sql.queryForObject(
                            "SELECT token FROM rowlock_fence WHERE lock_key = ?", Long.class, (Object)
                                    each.key().getBytes(UTF_8)))
                    .isEqualTo(each.fencingToken());
        }
        assertThat(noted()).isEqualTo(third.fencingToken());
    }

    @Test
    void readOnlyTransactionNotesNothing() {
        HeldLock lock = process.take(key);
        TransactionTemplate readOnly = process.transaction(TransactionDefinition.PROPAGATION_REQUIRED);
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(status -> assertThat(lock.isHeld()).isTrue());
        assertThat(noted()).isNull();
    }

    /** So MariaDB's driver did before 3.5.10, and does if it is told to. */
    @Test
    void readOnlyTransactionThatTheServerLetsWriteIsGuardedAsAnyOther() {
        String url = withOption("readOnlyPropagatesToServer=false").jdbcUrl().replace("jdbc:mysql:", "jdbc:mariadb:");
        schema = new TestSchema(schema.name(), url, schema.username(), schema.password());
        try (OneProcess other = new OneProcess("other", true)) {
            HeldLock lock = other.take(key);
            TransactionTemplate readOnly = other.transaction(TransactionDefinition.PROPAGATION_REQUIRED);
            readOnly.setReadOnly(true);
            readOnly.executeWithoutResult(status -> other.store());
            assertThat(noted()).isEqualTo(lock.fencingToken());
            note(key, lock.fencingToken() + 1);
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> readOnly.executeWithoutResult(status -> other.store()));
        }
        assertThat(stored()).isOne();
    }

    // ---- locks that are taken inside

    @Test
    void lockTakenInsideIsNotedBeforeAnythingIsDoneUnderIt() {
        List<CompletableFuture<Integer>> later = new ArrayList<>();
        process.inTransaction(() -> {
            process.take(key).close();
            later.add(takenOverBy(() -> 1));
            assertWaits(later.get(0));
        });
        assertThat(later.get(0)).succeedsWithin(PATIENCE);
    }

    @Test
    void lockTakenInsideThatIsOlderThanWhatWasSeenIsNotHandedOut() {
        HeldLock before = process.take(key);
        note(key, Long.MAX_VALUE);
        before.close();
        process.inTransaction(() -> {
            process.store();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> process.take(key))
                    .withMessageContaining("later lock");
            assertThat(rival.client.tryAcquire(LockRequest.exclusive(key))).isPresent();
        });
        assertThat(process.overtaken).containsExactly(key);
        assertThat(stored()).isOne();
    }

    @Test
    void lockTakenInsideThatCannotBeCheckedRefusesTheCommit() {
        note(key, 0);
        process.close();
        process = impatient();
        rival.inTransaction(() -> {
            rival.sql.queryForList(
                    "SELECT * FROM rowlock_fence WHERE lock_key = ? FOR UPDATE", (Object) key.getBytes(UTF_8));
            CompletableFuture<Integer> transaction = async(() -> {
                process.inTransaction(() -> {
                    process.store();
                    assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> process.take(key));
                    assertThat(process.client.isHeldByCurrentThread(key)).isFalse();
                });
                return 1;
            });
            assertThat(transaction)
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(LockStoreException.class);
        });
        assertThat(stored()).isZero();
    }

    @Test
    void tokenIsNotedAgainAfterARollbackToASavepoint() {
        process.inTransaction(() -> process.transaction(TransactionDefinition.PROPAGATION_NESTED)
                .executeWithoutResult(nested -> {
                    process.take(key).close();
                    nested.setRollbackOnly();
                }));
        assertThat(noted()).isNotNull();
    }

    // ---- threads that rely on the lock of another

    @Test
    void threadsThatRelyOnOneLockHaveTransactionsAtOnce() {
        DetachableLock lock = (DetachableLock) process.take(key);
        lock.detach();
        CyclicBarrier both = new CyclicBarrier(2);
        List<CompletableFuture<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            threads.add(async(() -> {
                try (CommitGuard guard = lock.rely()) {
                    process.inTransaction(() -> {
                        process.store();
                        await(both);
                    });
                    return guard.hashCode();
                }
            }));
        }
        threads.forEach(thread -> assertThat(thread).succeedsWithin(PATIENCE));
        assertThat(stored()).isEqualTo(2);
        overtaken();
        assertThat(async(() -> {
                    try (CommitGuard guard = lock.rely()) {
                        process.inTransaction(process::store);
                        return guard.hashCode();
                    }
                }))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LockLostException.class);
    }

    private static void await(CyclicBarrier both) {
        try {
            both.await(5, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void relianceOnALockIsNotedInTheTransactionThatIsOpen() {
        DetachableLock lock = (DetachableLock) process.take(key);
        lock.detach();
        List<CompletableFuture<Integer>> later = new ArrayList<>();
        process.inTransaction(() -> {
            lock.rely().close();
            assertThat(noted()).isEqualTo(lock.fencingToken());
            later.add(takenOverBy(() -> 1));
            assertWaits(later.get(0));
        });
        assertThat(later.get(0)).succeedsWithin(PATIENCE);
        process.inTransaction(
                () -> assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::rely));
    }

    @Test
    void lockThatIsDetachedInsideIsNotWaitedForByItsOwnTransaction() {
        DetachableLock lock = (DetachableLock) process.take(key);
        process.inTransaction(() -> {
            process.store();
            lock.detach();
        });
        assertThat(stored()).isOne();
        lock.close();
    }
}
