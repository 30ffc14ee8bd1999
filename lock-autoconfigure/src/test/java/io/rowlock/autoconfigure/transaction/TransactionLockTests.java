package io.rowlock.autoconfigure.transaction;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.servers.Cable;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks that are part of the business transaction, in applications as they are started. */
@OnEachServer
class TransactionLockTests {
    private static final AtomicInteger IDS = new AtomicInteger();
    private static final Map<Kind, ConfigurableApplicationContext> NODES = new EnumMap<>(Kind.class);
    private static FreshSchema schema;

    private final String key = "k" + IDS.incrementAndGet();
    private final String lockKey = Counters.NAME + ":" + key;

    enum Kind {
        JDBC,
        JPA
    }

    @BeforeServer
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE counter (name VARCHAR(50) PRIMARY KEY, value INT NOT NULL)");
        schema.jdbc().execute("CREATE TABLE other (name VARCHAR(50) PRIMARY KEY)");
        NODES.put(
                Kind.JDBC,
                application(Counters.class, Counters.Background.class, Counters.Uncaught.class)
                        .start());
        NODES.put(Kind.JPA, application(Counters.class).withJpa().start());
    }

    private static TestApplication application(Class<?>... services) {
        return new TestApplication(schema, services).with("spring.datasource.hikari.maximum-pool-size", 4);
    }

    @AfterServer
    static void stop() {
        NODES.values().forEach(ConfigurableApplicationContext::close);
        NODES.clear();
        schema.close();
    }

    @BeforeEach
    void insert() {
        schema.jdbc().update("INSERT INTO counter VALUES (?, 0)", key);
    }

    private static Counters counters(Kind kind) {
        return NODES.get(kind).getBean(Counters.class);
    }

    private static LockClient locks(Kind kind) {
        return NODES.get(kind).getBean(LockClient.class);
    }

    private int value() {
        return schema.jdbc().queryForObject("SELECT value FROM counter WHERE name = ?", Integer.class, key);
    }

    private LockRequest request() {
        return LockRequest.exclusive(lockKey).withStrategy("transaction");
    }

    // ---- no update is lost

    /** Something a thread does with a service. */
    private interface Work {
        void run(Counters counters) throws Exception;
    }

    private static void onAllNodes(int threads, int rounds, Work work) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Counters counters = counters(i % 2 == 0 ? Kind.JDBC : Kind.JPA);
            all.add(CompletableFuture.runAsync(
                    () -> {
                        for (int round = 0; round < rounds; round++) {
                            quietly(() -> work.run(counters));
                        }
                    },
                    task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
                .orTimeout(2, TimeUnit.MINUTES)
                .join();
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void quietly(Step step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void lockComesBeforeTheFirstReadOfItsTransaction() {
        onAllNodes(8, 50, counters -> counters.increment(key));
        assertThat(value()).isEqualTo(400);
    }

    @Test
    void lockComesFirstInATransactionInsideAnother() {
        onAllNodes(
                2,
                40,
                counters -> counters.repeatableRead(() -> {
                    counters.value(key);
                    counters.incrementApart(key);
                    return null;
                }));
        assertThat(value()).isEqualTo(80);
    }

    @Test
    void openTransactionThatReadsCommittedDataTakesTheLockAtAnyTime() {
        onAllNodes(
                4,
                100,
                counters -> counters.readCommitted(() -> {
                    counters.value(key);
                    counters.lock(request().withWaitTime(Duration.ofSeconds(20)));
                    return counters.add(key);
                }));
        assertThat(value()).isEqualTo(400);
    }

    /** How an increment on a connection of its own begins: whatever it reads first, it reads the counter again under the lock. */
    private int valueAfterAnIncrementInTheMiddle(String isolation, String begin, String first) throws Exception {
        counters(Kind.JDBC).increment(key);
        try (Connection connection = schema.jdbc().getDataSource().getConnection()) {
            JdbcTemplate sql = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
            sql.execute("SET TRANSACTION ISOLATION LEVEL " + isolation);
            sql.execute(begin);
            sql.execute(first);
            inAnotherThread(() -> {
                counters(Kind.JPA).increment(key);
                return null;
            });
            sql.queryForList("SELECT slot FROM rowlock_row WHERE lock_key = ? AND slot = 0 FOR UPDATE", (Object)
                    lockKey.getBytes(UTF_8));
            new Counters(sql, locks(Kind.JDBC)).add(key);
            sql.execute("COMMIT");
        }
        return value();
    }

    /** Why such transactions are refused: under REPEATABLE READ what is read under the lock is older than the lock. */
    @ParameterizedTest
    @CsvSource({
        "BEGIN, SELECT value FROM counter",
        "BEGIN, SELECT name FROM other",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT, DO 0"
    })
    void updateIsLostIfAnythingIsReadBeforeTheLock(String begin, String first) throws Exception {
        assertThat(valueAfterAnIncrementInTheMiddle("REPEATABLE READ", begin, first))
                .as("after three increments")
                .isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"REPEATABLE READ, DO 0", "READ COMMITTED, SELECT value FROM counter"})
    void noUpdateIsLostIfTheLockComesFirstOrAllReadsAreCurrent(String isolation, String first) throws Exception {
        assertThat(valueAfterAnIncrementInTheMiddle(isolation, "BEGIN", first)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT value FROM counter",
                "SELECT name FROM other",
                "START TRANSACTION WITH CONSISTENT SNAPSHOT",
                "DO 0"
            })
    void openTransactionThatMayReadOldDataGetsNoLock(String before) {
        Counters counters = counters(Kind.JDBC);
        assertThatIllegalStateException()
                .isThrownBy(() -> counters.repeatableRead(() -> {
                    jdbc(Kind.JDBC).execute(before);
                    return locks(Kind.JDBC).acquire(request());
                }))
                .withMessageContaining("REPEATABLE READ");
        assertThatIllegalStateException()
                .isThrownBy(() -> counters.repeatableRead(() -> counters.locked(key, () -> "ran")))
                .withMessageContaining("REPEATABLE READ");
    }

    // ---- it ends with the transaction

    @ParameterizedTest
    @EnumSource
    void lockLastsUntilTheTransactionHasCompleted(Kind kind) throws Exception {
        Kind other = kind == Kind.JDBC ? Kind.JPA : Kind.JDBC;
        String seen = counters(kind)
                .locked(key, () -> inAnotherThread(() -> counters(other).lockedOrBusy(key, () -> "free")));
        assertThat(seen).startsWith("busy");
        assertThat(counters(other).lockedOrBusy(key, () -> "free")).isEqualTo("free");
    }

    @ParameterizedTest
    @EnumSource
    void rollbackEndsTheLock(Kind kind) throws Exception {
        Counters counters = counters(kind);
        assertThatIllegalStateException()
                .isThrownBy(() -> counters.locked(key, () -> {
                    counters.add(key);
                    throw new IllegalStateException("no");
                }))
                .withMessage("no");
        assertThat(value()).isZero();
        assertThat(inAnotherThread(() -> counters.lockedOrBusy(key, () -> "free")))
                .isEqualTo("free");
    }

    @Test
    void busyTransactionIsRolledBackAndReturnsItsConnection() throws Exception {
        Counters counters = counters(Kind.JDBC);
        counters.locked(
                key,
                () -> inAnotherThread(() -> {
                    assertThat(counters.lockedOrNull(key, () -> "free")).isNull();
                    assertThatExceptionOfType(LockNotAcquiredException.class)
                            .isThrownBy(() -> counters.locked(key, () -> "free"))
                            .satisfies(busy -> assertThat(busy.key()).isEqualTo(lockKey));
                    return null;
                }));
        assertThat(active(Kind.JDBC)).isZero();
    }

    @Test
    void busyLockOfTheBodyIsNoAnswerToTheLockAroundIt() throws Exception {
        Counters counters = counters(Kind.JDBC);
        String inner = key + "-inner";
        counters.locked(
                inner,
                () -> inAnotherThread(() -> {
                    assertThatExceptionOfType(LockNotAcquiredException.class)
                            .isThrownBy(
                                    () -> counters.lockedOrNull(key, () -> counters.lockedApart(inner, () -> "free")));
                    return null;
                }));
    }

    // ---- waits

    /** Below a second by attempts, from a second on in the server's queue. */
    @ParameterizedTest
    @ValueSource(longs = {300, 1_300})
    void waitEndsWhenItsTimeIsOver(long millis) throws Exception {
        Duration patience = Duration.ofMillis(millis);
        counters(Kind.JDBC)
                .locked(
                        key,
                        () -> inAnotherThread(() -> counters(Kind.JPA).readCommitted(() -> {
                            assertThatExceptionOfType(LockNotAcquiredException.class)
                                    .isThrownBy(() ->
                                            locks(Kind.JPA).acquire(request().withWaitTime(patience)))
                                    .satisfies(busy ->
                                            assertThat(busy.waited()).isBetween(patience, Duration.ofSeconds(20)));
                            return null;
                        })));
    }

    /** The application's connections wait for their answers for ever, as is usual. */
    @Test
    void serverThatDoesNotAnswerIsAnOutageInTime() throws Exception {
        try (Cable cable = new Cable(schema.schema().jdbcUrl());
                ConfigurableApplicationContext far = application(Counters.class)
                        .with("spring.datasource.url", cable.url())
                        .with("rowlock.datasource.url", schema.schema().jdbcUrl())
                        .start()) {
            LockClient client = far.getBean(LockClient.class);
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            Thread thread =
                    new Thread(() -> quietly(() -> far.getBean(Counters.class).readCommitted(() -> {
                        assertThat(client.acquire(LockRequest.exclusive(lockKey + " first")
                                                .withStrategy("transaction"))
                                        .isHeld())
                                .isTrue();
                        cable.cut();
                        return failure.complete(
                                catchThrowable(() -> client.acquire(request().withWaitTime(Duration.ZERO))));
                    })));
            thread.start();
            assertThat(failure.get(1, TimeUnit.MINUTES)).isInstanceOf(LockStoreException.class);
            thread.join(TimeUnit.MINUTES.toMillis(1));
            assertThat(thread.isAlive()).isFalse();
            cable.down(); // or the application's pool waits for its connection, and for one that it opens
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {900, 20_000})
    void lockThatIsReleasedDuringTheWaitIsTaken(long millis) throws Exception {
        CompletableFuture<Boolean> taken = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        counters(Kind.JDBC).locked(key, () -> {
            new Thread(() -> quietly(() -> counters(Kind.JPA).readCommitted(() -> {
                        asked.countDown();
                        return taken.complete(locks(Kind.JPA)
                                .acquire(request().withWaitTime(Duration.ofMillis(millis)))
                                .isHeld());
                    })))
                    .start();
            return asked.await(20, TimeUnit.SECONDS);
        });
        assertThat(taken.get(1, TimeUnit.MINUTES)).isTrue();
    }

    /** Whether the transaction had begun or the thread waited before that. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void interruptEndsTheWait(boolean open) throws Exception {
        Counters other = counters(Kind.JPA);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        counters(Kind.JDBC).locked(key, () -> {
            Thread waiter = new Thread(() -> {
                try {
                    if (open) {
                        other.readCommitted(() -> other.lock(request().withWaitTime(Duration.ofSeconds(60))));
                    } else {
                        other.lockedAfterAWait(key, () -> "ran");
                    }
                } catch (LockInterruptedException e) {
                    interrupted.complete(Thread.currentThread().isInterrupted());
                } catch (Exception e) {
                    interrupted.completeExceptionally(e);
                }
            });
            waiter.start();
            Awaitility.await().until(() -> active(Kind.JPA) == 1);
            waiter.interrupt();
            return interrupted.get(1, TimeUnit.MINUTES);
        });
        assertThat(interrupted).isCompletedWithValue(true);
        assertThat(active(Kind.JPA)).isZero();
    }

    @Test
    void readerInAReadOnlyTransactionWaits() throws Exception {
        CompletableFuture<String> read = new CompletableFuture<>();
        counters(Kind.JPA).locked(key, () -> {
            new Thread(() -> {
                        try {
                            read.complete(counters(Kind.JDBC).sharedAfterAWait(key, () -> "read"));
                        } catch (Exception e) {
                            read.completeExceptionally(e);
                        }
                    })
                    .start();
            Awaitility.await().until(() -> read.isDone() || waitsInTheServersQueue());
            return null;
        });
        assertThat(read.get(1, TimeUnit.MINUTES)).isEqualTo("read");
    }

    private static boolean waitsInTheServersQueue() {
        return schema.jdbc()
                        .queryForObject(
                                "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()"
                                        + " AND info LIKE 'SELECT slot FROM rowlock_row%LOCK IN SHARE MODE'",
                                Integer.class)
                == 1;
    }

    @Test
    void sessionWaitsForOtherRowsAsLongAsBefore() throws Exception {
        String waits = "SELECT @@SESSION.innodb_lock_wait_timeout";
        Counters other = counters(Kind.JPA);
        counters(Kind.JDBC)
                .locked(
                        key,
                        () -> inAnotherThread(() -> other.readCommitted(() -> {
                            JdbcTemplate sql = NODES.get(Kind.JPA).getBean(JdbcTemplate.class);
                            int before = sql.queryForObject(waits, Integer.class);
                            assertThat(locks(Kind.JPA).tryAcquire(request().withWaitTime(Duration.ofMillis(1_100))))
                                    .isEmpty();
                            assertThat(sql.queryForObject(waits, Integer.class)).isEqualTo(before);
                            return null;
                        })));
    }

    // ---- savepoints, other databases

    private boolean isFree() throws Exception {
        return inAnotherThread(() -> counters(Kind.JPA).lockedOrBusy(key, () -> "free"))
                .equals("free");
    }

    /** If nothing had been done before the savepoint, InnoDB ends its part of the transaction, and with it the lock. */
    @Test
    void rollbackToASavepointEndsTheLock() {
        TransactionTemplate transaction = transaction(NODES.get(Kind.JDBC).getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(status -> {
            Object savepoint = status.createSavepoint();
            HeldLock lock = locks(Kind.JDBC).acquire(request());
            status.rollbackToSavepoint(savepoint);
            quietly(() -> assertThat(isFree()).isTrue());
            assertThat(lock.isHeld()).isFalse();
            assertThat(locks(Kind.JDBC).acquire(request()).isHeld()).isTrue();
            quietly(() -> assertThat(isFree()).isFalse());
        });
    }

    @Test
    void rollbackToASavepointKeepsAnOlderLock() {
        TransactionTemplate transaction = transaction(NODES.get(Kind.JDBC).getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(status -> {
            HeldLock lock = locks(Kind.JDBC).acquire(request());
            Object savepoint = status.createSavepoint();
            counters(Kind.JDBC).add(key);
            status.rollbackToSavepoint(savepoint);
            quietly(() -> assertThat(isFree()).isFalse());
            assertThat(lock.isHeld()).isTrue();
        });
        assertThat(value()).isZero();
    }

    @Test
    void nestedTransactionThatRollsBackKeepsTheLock() throws Exception {
        Counters counters = counters(Kind.JDBC);
        counters.readCommitted(() -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> counters.lockedNested(key, () -> {
                        counters.add(key);
                        throw new IllegalStateException("no");
                    }));
            assertThat(isFree()).isFalse();
            return null;
        });
        assertThat(value()).isZero();
        assertThat(isFree()).isTrue();
    }

    @Test
    void nestedTransactionWithoutOneAroundItTakesTheLockFirst() throws Exception {
        assertThat(counters(Kind.JDBC).lockedNested(key, () -> isFree())).isFalse();
    }

    private static TransactionTemplate transaction(PlatformTransactionManager manager) {
        TransactionTemplate transaction = new TransactionTemplate(manager);
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        return transaction;
    }

    @Test
    void transactionOfAnotherDataSourceIsRefused() {
        TransactionTemplate elsewhere =
                transaction(new JdbcTransactionManager(schema.jdbc().getDataSource()));
        assertThatIllegalStateException()
                .isThrownBy(() -> elsewhere.execute(status -> locks(Kind.JDBC).acquire(request())))
                .withMessageContaining("does not run on the database of the lock tables");
    }

    /** As JTA does, it shows no connection that could be asked whether it leads to the lock tables. */
    @Test
    void transactionWithoutAJdbcConnectionIsRefused() {
        TransactionTemplate unknown = transaction(new TransactionsOfNothing());
        assertThatIllegalStateException()
                .isThrownBy(() -> unknown.execute(status -> locks(Kind.JDBC).acquire(request())))
                .withMessageContaining("does not run on the database of the lock tables");
    }

    private static final class TransactionsOfNothing extends AbstractPlatformTransactionManager {
        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    // ---- rows

    @Test
    void rowThatWasRemovedIsCreatedAgainBeforeTheBodyRunsOnce() throws Exception {
        Counters counters = counters(Kind.JDBC);
        counters.increment(key);
        assertThat(schema.jdbc().update("DELETE FROM rowlock_row WHERE lock_key = ?", (Object) lockKey.getBytes(UTF_8)))
                .isOne();
        counters.increment(key);
        assertThat(value()).isEqualTo(2);
        assertThat(active(Kind.JDBC)).isZero();
    }

    // ---- in one process

    @Test
    void waitersOfOneProcessHaveNoConnection() throws Exception {
        Counters counters = counters(Kind.JDBC);
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        counters.locked(key, () -> {
            for (int i = 0; i < 8; i++) {
                waiters.add(CompletableFuture.runAsync(
                        () -> counters.increment(key), task -> new Thread(task, "waiter").start()));
            }
            Awaitility.await().until(() -> waiting() == 8);
            assertThat(active(Kind.JDBC)).isOne();
            return null;
        });
        CompletableFuture.allOf(waiters.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
        assertThat(value()).isEqualTo(8);
    }

    private static long waiting() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("waiter"))
                .filter(thread -> thread.getState() == Thread.State.TIMED_WAITING)
                .count();
    }

    private static int active(Kind kind) {
        return NODES.get(kind)
                .getBean("dataSource", HikariDataSource.class)
                .getHikariPoolMXBean()
                .getActiveConnections();
    }

    @Test
    void readersShareAKeyAndExcludeWriters() throws Exception {
        Counters counters = counters(Kind.JDBC);
        String seen = counters.shared(
                key,
                () -> inAnotherThread(() -> counters(Kind.JPA).shared(key, () -> "reader"))
                        + inAnotherThread(() -> counters(Kind.JPA).lockedOrBusy(key, () -> "writer")));
        assertThat(seen).isEqualTo("readerbusy: " + key);
    }

    @Test
    void asyncMethodWithoutAResultLocksInItsOwnTransaction() throws Exception {
        CompletableFuture<String> meanwhile = new CompletableFuture<>();
        NODES.get(Kind.JDBC).getBean(Counters.Background.class).run(key, () -> {
            quietly(() ->
                    meanwhile.complete(inAnotherThread(() -> counters(Kind.JPA).lockedOrBusy(key, () -> "free"))));
            counters(Kind.JDBC).add(key);
        });
        assertThat(meanwhile.get(20, TimeUnit.SECONDS)).isEqualTo("busy: " + key);
        Awaitility.await().untilAsserted(() -> assertThat(value()).isOne());
    }

    @Test
    void busyAsyncMethodWithoutAResultDoesNotRunAndSaysSo() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Throwable thrown = counters(Kind.JPA).locked(key, () -> {
            NODES.get(Kind.JDBC).getBean(Counters.Background.class).run(key, runs::incrementAndGet);
            return Counters.Uncaught.THROWN.poll(20, TimeUnit.SECONDS);
        });
        assertThat(thrown).isInstanceOf(LockNotAcquiredException.class);
        assertThat(runs).hasValue(0);
    }

    @Test
    void severalKeysAreOneLock() throws Exception {
        Counters counters = counters(Kind.JDBC);
        String more = key + "-more";
        String seen = counters.lockedAll(
                new String[] {more, key},
                () -> inAnotherThread(() -> counters(Kind.JPA).lockedOrBusy(more, () -> "free")));
        assertThat(seen).isEqualTo("busy: " + more);
    }

    // ---- nested

    @Test
    void joinedCallHasTheLockAlready() throws Exception {
        Counters counters = counters(Kind.JDBC);
        assertThat(counters.locked(key, () -> counters.locked(key, () -> counters.shared(key, () -> "in"))))
                .isEqualTo("in");
    }

    @Test
    void transactionInsideTheOneThatHasTheLockIsRefusedAtOnce() {
        Counters counters = counters(Kind.JDBC);
        assertThatIllegalStateException()
                .isThrownBy(() -> counters.locked(key, () -> counters.lockedApart(key, () -> "in")))
                .withMessageContaining("outer transaction");
    }

    @Test
    void sharedLockIsNotMadeExclusive() {
        Counters counters = counters(Kind.JDBC);
        assertThatIllegalStateException()
                .isThrownBy(() -> counters.readCommitted(() -> {
                    locks(Kind.JDBC).acquire(LockRequest.shared(lockKey).withStrategy("transaction"));
                    return locks(Kind.JDBC).acquire(request());
                }))
                .withMessageContaining("shared");
    }

    // ---- deadlocks

    @Test
    void transactionThatTheServerRolledBackCannotCommitTheRest() throws Exception {
        Counters counters = counters(Kind.JDBC);
        LockRequest second = LockRequest.exclusive(lockKey + "-2").withStrategy("transaction");
        CountDownLatch both = new CountDownLatch(2);
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger rolledBack = new AtomicInteger();
        onBoth(request(), second, (first, then) -> {
            try {
                counters.readCommitted(() -> {
                    locks(Kind.JDBC).acquire(first);
                    both.countDown();
                    both.await(20, TimeUnit.SECONDS);
                    try {
                        locks(Kind.JDBC).acquire(then.withWaitTime(Duration.ofSeconds(20)));
                    } catch (LockNotAcquiredException e) {
                        refused.incrementAndGet(); // swallowed: the work goes on without the lock
                    }
                    return counters.add(key);
                });
            } catch (LockNotAcquiredException e) {
                rolledBack.incrementAndGet();
            }
        });
        assertThat(refused).hasValue(1);
        assertThat(rolledBack).hasValue(1);
        assertThat(value()).isOne();
    }

    private interface TwoKeys {
        void run(LockRequest first, LockRequest then) throws Exception;
    }

    private static void onBoth(LockRequest one, LockRequest other, TwoKeys work) throws Exception {
        CompletableFuture<Void> forth =
                CompletableFuture.runAsync(() -> quietly(() -> work.run(one, other)), task -> new Thread(task).start());
        CompletableFuture<Void> back =
                CompletableFuture.runAsync(() -> quietly(() -> work.run(other, one)), task -> new Thread(task).start());
        CompletableFuture.allOf(forth, back).get(1, TimeUnit.MINUTES);
    }

    // ---- the handle

    @Test
    void handleSaysWhatSuchALockCan() throws Exception {
        AtomicReference<HeldLock> kept = new AtomicReference<>();
        counters(Kind.JDBC).lockedOrNull(key, () -> {
            HeldLock lock = locks(Kind.JDBC).acquire(request());
            kept.set(lock);
            assertThat(lock.mode()).isEqualTo(LockMode.EXCLUSIVE);
            assertThat(lock.key()).isEqualTo(lockKey);
            assertThat(lock.remaining()).isGreaterThan(Duration.ofDays(1));
            lock.ensureHeld(Duration.ofSeconds(1));
            assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lock::fencingToken);
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(() -> lock.extend(Duration.ofMinutes(1)));
            lock.close();
            assertThat(lock.isHeld()).isTrue();
            return null;
        });
        assertThat(kept.get().isHeld()).isFalse();
        assertThat(kept.get().remaining()).isZero();
        assertThat(kept.get().isLost()).isFalse();
    }

    /** Runs each statement that ends the server's transaction though Spring's goes on, in a body that catches whatever is thrown. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ROLLBACK",
                "START TRANSACTION",
                "COMMIT",
                "CREATE TABLE IF NOT EXISTS other (name VARCHAR(50) PRIMARY KEY)",
                "ANALYZE TABLE other",
                "Connection.rollback()",
                "deadlock"
            })
    void serversTransactionThatEndsInTheBodyEndsTheLockUnnoticedUnlessItIsAskedFor(String end) throws Exception {
        Counters counters = counters(Kind.JDBC);
        AtomicReference<String> otherNode = new AtomicReference<>();
        counters.readCommitted(() -> {
            HeldLock lock = locks(Kind.JDBC).acquire(request());
            lock.ensureHeld(Duration.ZERO);
            assertThat(lockedElsewhere()).as("before").startsWith("busy");
            endServersTransaction(end);
            otherNode.set(lockedElsewhere());
            assertThat(lock.isHeld()).as("what is known without a question").isTrue();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> lock.ensureHeld(Duration.ZERO))
                    .withMessageContaining("the server has ended its transaction");
            assertThatExceptionOfType(LockLostException.class)
                    .as("asked again")
                    .isThrownBy(() -> lock.ensureHeld(Duration.ZERO));
            return counters.add(key);
        });
        assertThat(otherNode).as("another node, beside the body").hasValue("free");
        assertThat(value()).as("the body has committed").isOne();
    }

    private String lockedElsewhere() throws Exception {
        return inAnotherThread(() -> counters(Kind.JPA).lockedOrBusy(key, () -> "free"));
    }

    private void endServersTransaction(String end) throws Exception {
        JdbcTemplate jdbc = jdbc(Kind.JDBC);
        switch (end) {
            case "Connection.rollback()" ->
                jdbc.execute((Connection connection) -> {
                    connection.rollback();
                    return null;
                });
            case "deadlock" -> meetDeadlock(jdbc);
            default -> jdbc.execute(end);
        }
    }

    /** Makes the server choose the current transaction, which has written less, to be rolled back. */
    private void meetDeadlock(JdbcTemplate jdbc) throws Exception {
        String first = key + "-first";
        String second = key + "-second";
        schema.jdbc().update("INSERT INTO counter VALUES (?, 0), (?, 0)", first, second);
        jdbc.queryForList("SELECT * FROM counter WHERE name = ? FOR UPDATE", first);
        CountDownLatch ready = new CountDownLatch(1);
        CompletableFuture<Void> other = CompletableFuture.runAsync(
                () -> quietly(() -> counters(Kind.JPA).readCommitted(() -> {
                    for (int i = 0; i < 50; i++) {
                        jdbc(Kind.JPA).update("INSERT INTO counter VALUES (?, 0)", second + i);
                    }
                    jdbc(Kind.JPA).update("UPDATE counter SET value = 1 WHERE name = ?", second);
                    ready.countDown();
                    return jdbc(Kind.JPA).update("UPDATE counter SET value = 1 WHERE name = ?", first);
                })),
                task -> new Thread(task).start());
        assertThat(ready.await(1, TimeUnit.MINUTES)).isTrue();
        assertThatExceptionOfType(PessimisticLockingFailureException.class)
                .isThrownBy(() -> jdbc.queryForList("SELECT * FROM counter WHERE name = ? FOR UPDATE", second));
        other.get(1, TimeUnit.MINUTES);
    }

    private static JdbcTemplate jdbc(Kind kind) {
        return NODES.get(kind).getBean(JdbcTemplate.class);
    }

    @Test
    void sharedLockThatAWriterCouldTakeIsNotHeld() throws Exception {
        counters(Kind.JDBC).readCommitted(() -> {
            HeldLock lock = locks(Kind.JDBC).acquire(LockRequest.shared(lockKey).withStrategy("transaction"));
            lock.ensureHeld(Duration.ZERO);
            inAnotherThread(() -> counters(Kind.JPA).shared(key, () -> "beside it"));
            lock.ensureHeld(Duration.ZERO);
            jdbc(Kind.JDBC).execute("ROLLBACK");
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.ensureHeld(Duration.ZERO));
            return null;
        });
    }

    @ParameterizedTest
    @EnumSource
    void lockIsNotHeldFromTheCommitOn(Kind kind) throws Exception {
        List<String> seen = new ArrayList<>();
        counters(kind).readCommitted(() -> {
            AtomicReference<HeldLock> lock = new AtomicReference<>();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public int getOrder() {
                    return HIGHEST_PRECEDENCE + 1;
                }

                @Override
                public void beforeCommit(boolean readOnly) {
                    seen.add("before " + lock.get().isHeld());
                }

                @Override
                public void afterCommit() {
                    seen.add("after " + lock.get().isHeld());
                }
            });
            lock.set(locks(kind).acquire(request()));
            return null;
        });
        assertThat(seen).containsExactly("before true", "after false");
    }

    @Test
    void lockIsNotHeldOnceItsConnectionHasFailed() {
        List<Object> seen = new ArrayList<>();
        assertThatExceptionOfType(TransactionException.class)
                .as("the rollback fails, too")
                .isThrownBy(() -> counters(Kind.JDBC).readCommitted(() -> {
                    HeldLock lock = locks(Kind.JDBC).acquire(request());
                    long session = jdbc(Kind.JDBC).queryForObject("SELECT CONNECTION_ID()", Long.class);
                    schema.jdbc().execute("KILL " + session);
                    assertThatExceptionOfType(DataAccessException.class)
                            .isThrownBy(() -> counters(Kind.JDBC).value(key));
                    seen.add(lock.isHeld());
                    seen.add(lock.remaining());
                    try {
                        lock.ensureHeld(Duration.ZERO);
                    } catch (LockLostException e) {
                        seen.add("lost");
                    }
                    return null;
                }));
        assertThat(seen).containsExactly(false, Duration.ZERO, "lost");
    }

    @Test
    void transactionWhoseDriverConnectsAnewDoesNotCommit() {
        List<Object> seen = new ArrayList<>();
        try (ConfigurableApplicationContext far =
                application(Counters.class, Reconnecting.class).start()) {
            Counters counters = far.getBean(Counters.class);
            assertThatExceptionOfType(RuntimeException.class)
                    .as("the rollback fails, too")
                    .isThrownBy(() -> counters.readCommitted(() -> {
                        HeldLock lock = far.getBean(LockClient.class).acquire(request());
                        counters.add(key);
                        long session =
                                far.getBean(JdbcTemplate.class).queryForObject("SELECT CONNECTION_ID()", Long.class);
                        schema.jdbc().execute("KILL " + session);
                        seen.add(catchThrowable(() -> counters.value(key)) instanceof DataAccessException);
                        Throwable lost = catchThrowable(() -> lock.ensureHeld(Duration.ZERO));
                        seen.add(lost instanceof LockLostException || lost instanceof LockStoreException);
                        seen.add(lockedElsewhere());
                        return catchThrowable(() -> counters.add(key));
                    }));
        }
        assertThat(seen).containsExactly(true, true, "free");
        assertThat(value()).isZero();
    }

    @Configuration(proxyBeanMethods = false)
    static class Reconnecting {
        @Bean
        DataSource dataSource() {
            String url = schema.schema().jdbcUrl();
            return new DriverManagerDataSource(
                    url + (url.contains("?") ? "&" : "?") + "autoReconnect=true",
                    schema.schema().username(),
                    schema.schema().password());
        }
    }

    @Test
    void lockOfATransactionThatIsSuspendedIsAskedForThere() throws Exception {
        counters(Kind.JDBC).readCommitted(() -> {
            HeldLock lock = locks(Kind.JDBC).acquire(request());
            return counters(Kind.JDBC).lockedApart(key + "-inner", () -> {
                assertThat(lock.isHeld()).isTrue();
                lock.ensureHeld(Duration.ZERO);
                return null;
            });
        });
    }

    @Test
    void lockWithoutATransactionIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> locks(Kind.JDBC).acquire(request()))
                .withMessageContaining("no transaction is open");
    }

    @Test
    void grantIsLogged() throws Exception {
        counters(Kind.JDBC).increment(key);
        Awaitility.await()
                .untilAsserted(() -> assertThat(schema.jdbc()
                                .queryForList(
                                        "SELECT CONCAT(strategy, ' ', status, ' ', completed_at IS NOT NULL)"
                                                + " FROM rowlock_lock_log WHERE lock_key = ?",
                                        String.class,
                                        lockKey))
                        .containsExactly("transaction RELEASED 1"));
    }

    // ---- the start

    @ParameterizedTest
    @ValueSource(
            classes = {
                Counters.WithTtl.class,
                Counters.WithMinimum.class,
                Counters.Interrupted.class,
                Counters.CompletedLater.class,
                Counters.WithoutTransaction.class
            })
    void whatSuchALockCannotDoStopsTheStart(Class<?> service) {
        Map<Class<?>, String> sentences = Map.of(
                Counters.WithTtl.class, "takes no ttl",
                Counters.WithMinimum.class, "takes no holdAtLeast",
                Counters.Interrupted.class, "takes no onLost",
                Counters.CompletedLater.class, "ends with the transaction, before that completes",
                Counters.WithoutTransaction.class, "propagation NEVER or NOT_SUPPORTED");
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> application(service).start().close())
                .withStackTraceContaining(sentences.get(service));
    }

    private static <T> T inAnotherThread(Callable<T> body) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        result.complete(body.call());
                    } catch (Throwable e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        return result.get(1, TimeUnit.MINUTES);
    }
}
