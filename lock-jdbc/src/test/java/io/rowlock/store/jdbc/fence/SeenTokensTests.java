package io.rowlock.store.jdbc.fence;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.FencingTokens;
import io.rowlock.LockStoreException;
import io.rowlock.StaleReadException;
import io.rowlock.StaleTokenException;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@OnEachServer(dependsOnServer = true, mariaDb118 = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SeenTokensTests {
    private HikariDataSource pool;
    private ExecutorService threads;

    private JdbcTemplate jdbc;
    private FencingTokens tokens;
    private TransactionTemplate transaction;
    private String key;

    @BeforeServer
    void open(TestSchema schema) {
        pool = new HikariDataSource();
        pool.setDataSource(schema.dataSource());
        pool.setMaximumPoolSize(12);
        threads = Executors.newCachedThreadPool();
        new JdbcTemplate(pool).execute("CREATE TABLE balance (id VARCHAR(80) PRIMARY KEY, amount INT NOT NULL)");
    }

    @AfterServer
    void close() {
        threads.shutdownNow();
        pool.close();
    }

    @BeforeEach
    void newKey() {
        jdbc = new JdbcTemplate(pool);
        tokens = FencingTokens.of(pool);
        transaction = isolated(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        key = "account:" + UUID.randomUUID();
    }

    private TransactionTemplate isolated(int isolation) {
        TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(pool));
        template.setIsolationLevel(isolation);
        return template;
    }

    @Test
    void greaterAndEqualTokensPass() {
        for (long token : new long[] {1, 7, 7, 8, (1L << 53) - 1}) {
            require(token);
            assertThat(seen()).isEqualTo(token);
        }
    }

    @Test
    void smallerTokenIsRefusedWithWhatWasSeen() {
        require(7);
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> require(6))
                .withMessageContaining(key)
                .satisfies(stale -> {
                    assertThat(stale.key()).isEqualTo(key);
                    assertThat(stale.fencingToken()).isEqualTo(6);
                    assertThat(stale.seen()).isEqualTo(7);
                });
        assertThat(seen()).isEqualTo(7);
    }

    @Test
    void tokenOfTransactionThatRolledBackWasNotSeen() {
        transaction.executeWithoutResult(status -> {
            tokens.require(key, 9);
            status.setRollbackOnly();
        });
        require(7);
        assertThat(seen()).isEqualTo(7);
    }

    @Test
    void keysAreBytes() {
        require(7);
        key = key.toUpperCase(Locale.ROOT);
        require(5);
        key += " ";
        require(4);
    }

    @Test
    void sameTransactionRequiresAgainAndSeveralKeys() {
        transaction.executeWithoutResult(status -> {
            tokens.require(key, 7);
            tokens.require(key, 7);
            tokens.require(key + "-b", 3);
            tokens.require(key, 8);
        });
        assertThat(seen()).isEqualTo(8);
    }

    @Test
    void noTransactionThatKeepsTheRowIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> tokens.require(key, 1))
                .withMessageContaining("outside of a transaction");
        TransactionTemplate supports = new TransactionTemplate(new JdbcTransactionManager(pool));
        supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        assertThatIllegalStateException()
                .isThrownBy(() -> supports.executeWithoutResult(status -> {
                    jdbc.queryForList("SELECT 1");
                    tokens.require(key, 1);
                }));
        assertThat(rows()).isZero();
    }

    /** Its connection looks like one in a transaction, which nothing commits. */
    @Test
    void noTransactionOnPoolWithoutAutoCommitIsRefused(TestSchema schema) {
        try (HikariDataSource manual = new HikariDataSource()) {
            manual.setDataSource(schema.dataSource());
            manual.setMaximumPoolSize(1);
            manual.setAutoCommit(false);
            FencingTokens own = FencingTokens.of(manual);
            TransactionTemplate supports = new TransactionTemplate(new JdbcTransactionManager(manual));
            supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
            assertThatIllegalStateException()
                    .isThrownBy(() -> supports.executeWithoutResult(status -> {
                        new JdbcTemplate(manual).queryForList("SELECT 1");
                        own.require(key, 1);
                    }))
                    .withMessageContaining("outside of a transaction");
        }
    }

    @Test
    void transactionOfAnotherDataSourceIsRefused(TestSchema schema) {
        TransactionTemplate other = new TransactionTemplate(new JdbcTransactionManager(schema.dataSource()));
        assertThatIllegalStateException()
                .isThrownBy(() -> other.executeWithoutResult(status -> tokens.require(key, 1)));
        assertThatIllegalStateException()
                .isThrownBy(() -> other.executeWithoutResult(status -> {
                    jdbc.queryForList("SELECT 1"); // binds a connection in auto-commit mode
                    tokens.require(key, 1);
                }));
        assertThat(rows()).isZero();
    }

    @Test
    void readOnlyTransactionIsRefused() {
        transaction.setReadOnly(true);
        assertThatIllegalStateException().isThrownBy(() -> require(1)).withMessageContaining("read-only");
    }

    @Test
    void badKeyIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transaction.executeWithoutResult(status -> tokens.require("", 1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> transaction.executeWithoutResult(status -> tokens.require("k".repeat(256), 1)));
    }

    /** As of a header that is missing; the greatest would refuse every later holder. No transaction is open, so nothing asks the database. */
    @ParameterizedTest
    @ValueSource(longs = {0, -7, 1L << 53, Long.MAX_VALUE})
    void numberThatIsNoTokenIsRefused(long token) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> tokens.require(key, token))
                .withMessageContaining(key)
                .withMessageStartingWith(token + " is no token")
                .withMessageContaining("9007199254740991");
        assertThat(rows()).isZero();
    }

    @Test
    void proxyThatKnowsTransactionsIsLookedThrough() {
        FencingTokens proxied = FencingTokens.of(new TransactionAwareDataSourceProxy(pool));
        transaction.executeWithoutResult(status -> proxied.require(key, 5));
        assertThat(seen()).isEqualTo(5);
    }

    @Test
    void missingTableIsAStoreFailure() {
        FencingTokens elsewhere = new SeenTokens(pool, new TablePrefix("elsewhere_"));
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> elsewhere.require(key, 1)))
                .withMessageContaining("elsewhere_token");
    }

    @Test
    void tableThatLocksNoRowsIsRefused() {
        jdbc.execute("CREATE TABLE loose_token (lock_key VARBINARY(255) PRIMARY KEY, token BIGINT NOT NULL,"
                + " seen_at DATETIME(6) NOT NULL) ENGINE = MyISAM");
        FencingTokens loose = new SeenTokens(pool, new TablePrefix("loose_"));
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> loose.require(key, 1)))
                .withMessageContaining("MyISAM")
                .withMessageContaining("ALTER TABLE loose_token ENGINE = InnoDB");
    }

    /** As where the lock tables are in another schema, so that what creates those creates none here. */
    @Test
    void missingTableIsToBeCreatedWhereTheReceiverIs() {
        FencingTokens missing = new SeenTokens(pool, new TablePrefix("missing_"));
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> missing.require(key, 1)))
                .withMessageContaining("missing_token")
                .withMessageContaining("db/rowlock/mysql/V1__lock_tables.sql")
                .withMessageNotContaining("rowlock.schema.initialize");
    }

    // ---- two transactions at a time

    /** Also of the very first calls of a key: both insert, and neither locks a gap. */
    @ParameterizedTest
    @ValueSource(
            ints = {TransactionDefinition.ISOLATION_READ_COMMITTED, TransactionDefinition.ISOLATION_REPEATABLE_READ})
    void secondTransactionWaitsForTheFirst(int isolation) throws Exception {
        TransactionTemplate template = isolated(isolation);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        Future<?> later = threads.submit(() -> template.executeWithoutResult(status -> {
            tokens.require(key, 8);
            entered.countDown();
            awaitQuietly(leave);
        }));
        assertThat(entered.await(1, MINUTES)).isTrue();
        Future<?> equal = threads.submit(() -> template.executeWithoutResult(status -> tokens.require(key, 8)));
        Future<?> stale = threads.submit(() -> template.executeWithoutResult(status -> tokens.require(key, 7)));
        Future<?> beside = threads.submit(() -> template.executeWithoutResult(status -> tokens.require(key + "-a", 1)));
        beside.get(1, MINUTES);
        await().until(() -> waiting() >= 2);
        assertThat(List.of(equal.isDone(), stale.isDone())).containsOnly(false);

        leave.countDown();
        later.get(1, MINUTES);
        equal.get(1, MINUTES);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> stale.get(1, MINUTES))
                .withCauseInstanceOf(StaleTokenException.class);
        assertThat(seen()).isEqualTo(8);
    }

    @Test
    void transactionThatReadBeforeAnotherCommittedIsRefused() {
        jdbc.update("INSERT INTO balance VALUES (?, 100)", key);
        require(7);
        for (long token : new long[] {7, 8}) {
            assertThatExceptionOfType(StaleReadException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                        int read = balance();
                        CompletableFuture.runAsync(() -> addUnderToken(token), threads)
                                .join();
                        tokens.require(key, token);
                        jdbc.update("UPDATE balance SET amount = ? WHERE id = ?", read + 10, key);
                    }))
                    .withMessageContaining("call require before the transaction reads")
                    .withMessageNotContaining("READ COMMITTED"); // under which the update would be lost
        }
        assertThat(balance()).isEqualTo(120);
    }

    /** Thrown for a key that no transaction had required when this one began to read. */
    @Test
    void transactionThatReadBeforeTheFirstCommitOfAKeyIsRefused() {
        jdbc.update("INSERT INTO balance VALUES (?, 100)", key);
        assertThatExceptionOfType(StaleReadException.class)
                .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                    balance();
                    CompletableFuture.runAsync(() -> addUnderToken(3), threads).join();
                    tokens.require(key, 3);
                }));
    }

    @Test
    void transactionThatReadBeforeAndMetNoOtherPasses() {
        jdbc.update("INSERT INTO balance VALUES (?, 100)", key);
        require(7);
        transaction.executeWithoutResult(status -> {
            balance();
            tokens.require(key, 7);
        });
        assertThatNoException()
                .isThrownBy(() -> isolated(TransactionDefinition.ISOLATION_READ_COMMITTED)
                        .executeWithoutResult(status -> {
                            balance();
                            CompletableFuture.runAsync(() -> addUnderToken(8), threads)
                                    .join();
                            tokens.require(key, 8);
                        }));
    }

    @Test
    void updatesOfManyThreadsAreNeitherLostNorStale() throws Exception {
        jdbc.update("INSERT INTO balance VALUES (?, 0)", key);
        int writers = 8;
        int rounds = 40;
        List<Future<Integer>> running = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            running.add(threads.submit(() -> addRandomly(rounds)));
        }
        int added = 0;
        for (Future<Integer> each : running) {
            added += each.get(3, MINUTES);
        }
        assertThat(balance()).isEqualTo(10 * added);
        assertThat(added).isPositive();
    }

    /** @return how often it committed */
    private int addRandomly(int rounds) {
        int added = 0;
        for (int i = 0; i < rounds; i++) {
            long token = i + ThreadLocalRandom.current().nextLong(1, 4);
            try {
                addUnderToken(token);
                added++;
            } catch (StaleTokenException refused) {
                assertThat(refused.seen()).isGreaterThan(token);
            }
        }
        return added;
    }

    private void addUnderToken(long token) {
        isolated(TransactionDefinition.ISOLATION_REPEATABLE_READ).executeWithoutResult(status -> {
            tokens.require(key, token);
            jdbc.update("UPDATE balance SET amount = ? WHERE id = ?", balance() + 10, key);
        });
    }

    private int balance() {
        return jdbc.queryForObject("SELECT amount FROM balance WHERE id = ?", Integer.class, key);
    }

    private void require(long token) {
        transaction.executeWithoutResult(status -> tokens.require(key, token));
    }

    private long seen() {
        return jdbc.queryForObject("SELECT token FROM rowlock_token WHERE lock_key = ?", Long.class, key);
    }

    private int rows() {
        return jdbc.queryForObject("SELECT COUNT(*) FROM rowlock_token WHERE lock_key = ?", Integer.class, key);
    }

    private int waiting() {
        return jdbc.queryForObject(
                "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                        + " AND trx_query LIKE '%rowlock_token%'",
                Integer.class);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
