package io.rowlock.autoconfigure.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Ledger;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Two applications that set {@code rowlock.strategy=row-lock}, and nothing else. */
@OnEachServer
class RowLockApplicationTests {
    private static FreshSchema schema;
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;

    @BeforeServer
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE entry (id INT PRIMARY KEY)");
        first = application(true);
        second = application(true);
    }

    @AfterServer
    static void stop() {
        if (second != null) {
            first.close();
            second.close();
            schema.close();
        }
    }

    private static ConfigurableApplicationContext application(boolean fenced) {
        return new TestApplication(schema, Ledger.JdbcLedger.class)
                .with("rowlock.strategy", "row-lock")
                .with("rowlock.fencing.transactional", fenced)
                .with("rowlock.pool.query-timeout", "30s") // half of it is how long a try without patience waits
                .start();
    }

    private static LockClient locks(ConfigurableApplicationContext node) {
        return node.getBean(LockClient.class);
    }

    private static int stored(int id) {
        return schema.jdbc().queryForObject("SELECT COUNT(*) FROM entry WHERE id = ?", Integer.class, id);
    }

    /** Ends the sessions that have row locks and have changed nothing: those of locks. */
    private static void killLockSessions() {
        Awaitility.await().pollInterval(Duration.ofMillis(200)).until(() -> {
            List<Long> sessions = lockSessions();
            sessions.forEach(session -> schema.jdbc().execute("KILL " + session));
            return !sessions.isEmpty();
        });
        Awaitility.await()
                .pollInterval(Duration.ofMillis(200))
                .until(() -> lockSessions().isEmpty());
    }

    private static List<Long> lockSessions() {
        // Not the table of the same content: MySQL fills it in utf8mb3, and fails while any session runs a statement
        // with an emoji
        List<Long> sessions = schema.jdbc()
                .query(
                        "SHOW FULL PROCESSLIST",
                        (row, number) -> schema.schema().name().equals(row.getString("db")) ? row.getLong("Id") : -1);
        return schema
                .jdbc()
                .queryForList(
                        "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_rows_modified = 0",
                        Long.class)
                .stream()
                .filter(sessions::contains)
                .toList();
    }

    @Test
    void guardedTransactionIsStored() {
        first.getBean(Ledger.class)
                .store(
                        "a",
                        1,
                        () -> assertThat(locks(second).tryAcquire(LockRequest.exclusive(Ledger.KEY + "a")))
                                .isEmpty());
        assertThat(stored(1)).isOne();
        locks(second)
                .tryAcquire(LockRequest.exclusive(Ledger.KEY + "a"))
                .orElseThrow()
                .close();
    }

    @Test
    void killedSessionOfTheLockRefusesTheCommit() {
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> first.getBean(Ledger.class).store("b", 2, RowLockApplicationTests::killLockSessions));
        assertThat(stored(2)).isZero();
    }

    @Test
    void transactionWithinTheCommitOfAnotherUnderTheSameLockIsStoredToo() {
        PlatformTransactionManager manager = first.getBean(PlatformTransactionManager.class);
        TransactionTemplate inner = new TransactionTemplate(manager);
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        AtomicInteger commits = new AtomicInteger();
        TransactionExecutionListener within = new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                if (commits.getAndIncrement() == 0) {
                    inner.executeWithoutResult(
                            status -> first.getBean(Ledger.class).store("w", 5, () -> {}));
                }
            }
        };
        ConfigurableTransactionManager listening = (ConfigurableTransactionManager) manager;
        List<TransactionExecutionListener> before = List.copyOf(listening.getTransactionExecutionListeners());
        listening.addListener(within);
        try {
            first.getBean(Ledger.class).store("w", 4, () -> {});
        } finally {
            listening.setTransactionExecutionListeners(before);
        }
        assertThat(stored(4)).isOne();
        assertThat(stored(5)).isOne();
        assertThat(commits).hasValue(2);
        locks(second)
                .tryAcquire(LockRequest.exclusive(Ledger.KEY + "w"))
                .orElseThrow()
                .close();
    }

    @Test
    void withoutFencingItDoesNot() {
        try (ConfigurableApplicationContext unfenced = application(false)) {
            unfenced.getBean(Ledger.class).store("c", 3, RowLockApplicationTests::killLockSessions);
        }
        assertThat(stored(3)).isOne();
    }

    @Test
    void leasesAreThereBesideThem() {
        try (HeldLock rowLock = locks(first).acquire(LockRequest.exclusive("both"));
                HeldLock lease =
                        locks(second).acquire(LockRequest.exclusive("both").withStrategy("lease"))) {
            assertThat(rowLock.isHeld()).isTrue();
            assertThat(lease.isHeld()).isTrue();
            assertThat(locks(second).tryAcquire(LockRequest.exclusive("both"))).isEmpty();
        }
    }

    @Test
    void waiterGetsTheLockWhenItIsReleased() throws Exception {
        HeldLock held = locks(first).acquire(LockRequest.exclusive("next"));
        CompletableFuture<Long> waiter = CompletableFuture.supplyAsync(() -> {
            try (HeldLock next =
                    locks(second).acquire(LockRequest.exclusive("next").withWaitTime(Duration.ofSeconds(30)))) {
                return next.fencingToken();
            }
        });
        assertThat(waiter.isDone()).isFalse();
        held.close();
        assertThat(waiter.get(30, TimeUnit.SECONDS)).isGreaterThan(held.fencingToken());
    }

    @Test
    void lockLeftForItsMinimumEndsByItself() {
        locks(first)
                .acquire(LockRequest.exclusive("minimum").withHoldAtLeast(Duration.ofSeconds(1)))
                .close();
        assertThat(locks(second).tryAcquire(LockRequest.exclusive("minimum"))).isEmpty();
        locks(second)
                .acquire(LockRequest.exclusive("minimum").withWaitTime(Duration.ofSeconds(30)))
                .close();
    }

    @Test
    void sessionsOfTheLockPoolAreNotPinned() {
        try (HeldLock held = locks(first).acquire(LockRequest.exclusive("pool"))) {
            JdbcTemplate pool = new JdbcTemplate(first.getBean(LockPools.class).locks());
            assertThat(pool.queryForObject("SELECT @@autocommit", Integer.class))
                    .isOne();
            assertThat(first.getBean(LockPools.class)
                            .rowLocks()
                            .getHikariPoolMXBean()
                            .getActiveConnections())
                    .isPositive();
            assertThat(held.isHeld()).isTrue();
        }
    }
}
