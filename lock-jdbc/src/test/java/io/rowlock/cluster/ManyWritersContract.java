package io.rowlock.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.Pools;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.store.Attempt;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.Writers;
import io.rowlock.store.jdbc.lease.ExpiringRowFence;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.test.TestCluster;
import io.rowlock.test.TestSchema;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionTemplate;

/** What breaks where two servers take writes, unless it is taken care of. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ManyWritersContract {
    private static final TablePrefix PREFIX = new TablePrefix("rowlock_");
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration TTL = Duration.ofSeconds(30);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final String key = UUID.randomUUID().toString();
    private DataSource here;
    private DataSource elsewhere;
    private DataSource locksHere;

    @BeforeAll
    void open(TestCluster cluster) {
        HikariDataSource locks = Pools.locks(cluster.schemaAt(0));
        open.push(locks);
        locksHere = locks;
        here = pool(cluster.schemaAt(0));
        elsewhere = pool(cluster.schemaAt(1));
        new JdbcTemplate(here).execute("CREATE TABLE note (id INT PRIMARY KEY, text VARCHAR(200))");
        new JdbcTemplate(here).update("INSERT INTO note VALUES (1, ''), (2, '')");
        Lag.prepare(here);
        await(() -> count("SELECT COUNT(*) FROM sign, note", 2));
    }

    private boolean count(String query, int expected) {
        try {
            return Integer.valueOf(expected).equals(new JdbcTemplate(elsewhere).queryForObject(query, Integer.class));
        } catch (DataAccessException e) {
            return false;
        }
    }

    private static void await(BooleanSupplier condition) {
        Awaitility.await().until(condition::getAsBoolean);
    }

    /** The driver would go on in a new transaction, without what the first has done. */
    @Test
    void transactionThatAnotherServerRolledBackIsRunAgainAsAWhole() {
        List<String> runs = new ArrayList<>();
        database(locksHere)
                .call(session -> session.inTransaction(transaction -> {
                    String run = UUID.randomUUID().toString();
                    runs.add(run);
                    transaction.update("UPDATE note SET text = ? WHERE id = 1", run);
                    if (runs.size() == 1) {
                        new JdbcTemplate(elsewhere).update("UPDATE note SET text = 'elsewhere' WHERE id = 1");
                        await(() -> text(here, 1).equals("elsewhere"));
                    }
                    return transaction.update("UPDATE note SET text = ? WHERE id = 2 AND 'prepared' <> 'before'", run);
                }));
        assertThat(runs).hasSize(2);
        assertThat(text(here, 1)).isEqualTo(text(here, 2)).isEqualTo(runs.get(1));
    }

    private static String text(DataSource pool, int id) {
        return new JdbcTemplate(pool).queryForObject("SELECT text FROM note WHERE id = ?", String.class, id);
    }

    @AfterAll
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private DataSource pool(TestSchema schema) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(schema.jdbcUrl());
        config.setUsername(schema.username());
        config.setPassword(schema.password());
        config.setMinimumIdle(1);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        HikariDataSource pool = new HikariDataSource(config);
        open.push(pool);
        return pool;
    }

    private static LockDatabase database(DataSource pool) {
        return new LockDatabase(pool, TIMEOUT, false);
    }

    private static LockStore leases(DataSource pool) {
        return new LeaseStore(database(pool), PREFIX);
    }

    private static LeaseRequest request(String key, LockMode mode, String owner) {
        return new LeaseRequest(
                key, mode, owner, TTL, ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), Duration.ZERO, TIMEOUT);
    }

    private RowlockClient client(DataSource pool) {
        RowlockClient client = RowlockClient.builder(leases(pool))
                .ttl(TTL)
                .waitTime(Duration.ZERO)
                .owner("here-" + UUID.randomUUID())
                .build();
        open.push(client);
        return client;
    }

    private TransactionTemplate guarded(RowlockClient client, DataSourceTransactionManager manager) {
        manager.addListener(
                new TransactionFence(client, Map.of(LeaseStore.NAME, new ExpiringRowFence(here, PREFIX, TIMEOUT))));
        return new TransactionTemplate(manager);
    }

    private void takeOverElsewhere(String taken, LockMode mode) {
        JdbcTemplate sql = new JdbcTemplate(elsewhere);
        String slot = mode == LockMode.EXCLUSIVE ? "slot = 0" : "slot > 0";
        await(() -> sql.update(
                        "UPDATE rowlock_lock SET expires_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE lock_key = ? AND expires_at > UTC_TIMESTAMP(6) AND "
                                + slot,
                        (Object) taken.getBytes(UTF_8))
                == 1);
        LockStore other = leases(elsewhere);
        Attempt attempt = other.tryAcquire(request(taken, LockMode.EXCLUSIVE, "elsewhere"));
        if (attempt instanceof Attempt.Draining draining) {
            assertThat(other.drained(draining.lease()).complete()).isTrue();
        } else {
            assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        }
    }

    @Test
    void clusterIsKnown() {
        assertThat(database(here).writers()).isEqualTo(Writers.MANY);
    }

    @Test
    void rowLocksAndUniqueKeysAreRefused() {
        LockStore rowLocks = new RowLockStore(database(here), here, 4, PREFIX, TIMEOUT, true);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> rowLocks.tryAcquire(request(key, LockMode.EXCLUSIVE, "here")))
                .withMessageContaining("row locks are not replicated")
                .withMessageContaining("rowlock.cluster.writers=one");
        LockStore uniqueKeys = new UniqueKeyStore(database(here), PREFIX);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> uniqueKeys.tryAcquire(request(key, LockMode.EXCLUSIVE, "here")))
                .withMessageContaining("counts its tokens for itself");
    }

    @Test
    void readerIsNotLetInByAServerThatDoesNotKnowTheWriterYet() throws Exception {
        String name = key + "reader";
        LockStore there = leases(elsewhere);
        Attempt first = there.tryAcquire(request(name, LockMode.SHARED, "there"));
        assertThat(there.release(((Attempt.Granted) first).lease())).isTrue();
        CompletableFuture<Attempt> reader;
        try (Lag lag = Lag.of(elsewhere, here)) {
            LockStore store = leases(here);
            Attempt.Draining writer = (Attempt.Draining) store.tryAcquire(request(name, LockMode.EXCLUSIVE, "here"));
            assertThat(store.drained(writer.lease()).complete()).isTrue();
            reader = CompletableFuture.supplyAsync(() -> there.tryAcquire(request(name, LockMode.SHARED, "there")));
            // A commit of the late server may wait until it is late no more
            Attempt unused = reader.copy()
                    .completeOnTimeout(new Attempt.Busy(Optional.empty()), 2, TimeUnit.SECONDS)
                    .get();
        }
        assertThat(there.tryAcquire(request(name, LockMode.SHARED, "there"))).isInstanceOf(Attempt.Busy.class);
        assertThat(reader.get()).isInstanceOf(Attempt.Busy.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void commitIsRefusedOnAServerThatDoesNotKnowTheTakeOverYet(LockMode mode) throws Exception {
        String name = key + mode + "late";
        RowlockClient client = client(here);
        TransactionTemplate transaction = guarded(client, new JdbcTransactionManager(here));
        LockRequest request = mode == LockMode.EXCLUSIVE ? LockRequest.exclusive(name) : LockRequest.shared(name);
        try (HeldLock lock = client.acquire(request)) {
            Lag lag = Lag.of(here, elsewhere);
            takeOverElsewhere(name, mode);
            CompletableFuture<Void> end =
                    CompletableFuture.runAsync(lag::close, CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(
                            status -> new JdbcTemplate(here).update("UPDATE note SET text = ? WHERE id = 1", name)));
            end.get(10, TimeUnit.SECONDS);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.extend(TTL));
        }
        assertThat(new JdbcTemplate(here).queryForObject("SELECT text FROM note WHERE id = 1", String.class))
                .isNotEqualTo(name);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void commitIsRefusedIfTheLockIsTakenElsewhereAfterItsCheck(LockMode mode) {
        RowlockClient client = client(here);
        for (DataSourceTransactionManager manager :
                List.of(new DataSourceTransactionManager(here), new JdbcTransactionManager(here))) {
            String name = key + mode + manager.getClass().getSimpleName();
            LockRequest request = mode == LockMode.EXCLUSIVE ? LockRequest.exclusive(name) : LockRequest.shared(name);
            TransactionTemplate transaction = guarded(client, manager);
            manager.addListener(new AfterTheCheck(() -> takeOverElsewhere(name, mode)));
            try (HeldLock lock = client.acquire(request)) {
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> transaction.executeWithoutResult(
                                status -> new JdbcTemplate(here).update("UPDATE note SET text = ? WHERE id = 1", name)))
                        .withMessageContaining(name);
                assertThat(lock.isHeld()).isFalse();
            }
            assertThat(new JdbcTemplate(here).queryForObject("SELECT text FROM note WHERE id = 1", String.class))
                    .isNotEqualTo(name);
        }
    }

    @Test
    void conflictOfAnotherRowIsNoLoss() {
        RowlockClient client = client(here);
        for (DataSourceTransactionManager manager :
                List.of(new DataSourceTransactionManager(here), new JdbcTransactionManager(here))) {
            TransactionTemplate transaction = guarded(client, manager);
            manager.addListener(new AfterTheCheck(
                    () -> new JdbcTemplate(elsewhere).update("UPDATE note SET text = UUID() WHERE id = 2")));
            try (HeldLock lock =
                    client.acquire(LockRequest.exclusive(UUID.randomUUID().toString()))) {
                assertThatExceptionOfType(RuntimeException.class)
                        .isThrownBy(() -> transaction.executeWithoutResult(
                                status -> new JdbcTemplate(here).update("UPDATE note SET text = UUID() WHERE id = 2")))
                        .isInstanceOfAny(ConcurrencyFailureException.class, TransactionSystemException.class);
                assertThat(lock.isHeld()).isTrue();
            }
        }
    }

    /** Twelve threads on three servers, without anything else going wrong. */
    @Test
    void holdersOnDifferentServersNeverOverlap(TestCluster cluster) throws Exception {
        Rivals rivals = new Rivals(Duration.ofSeconds(Integer.getInteger("rowlock.stress.seconds", 20)));
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int server = 0; server < cluster.ports().size(); server++) {
            LockStore store = leases(pool(cluster.schemaAt(server)));
            for (int thread = 0; thread < 4; thread++) {
                threads.add(CompletableFuture.runAsync(
                        () -> rivals.fight(
                                store,
                                (name, mode) ->
                                        request(name, mode, UUID.randomUUID().toString())),
                        command -> new Thread(command, "rival").start()));
            }
        }
        for (CompletableFuture<Void> thread : threads) {
            thread.get(5, TimeUnit.MINUTES);
        }
        System.out.println(getClass().getSimpleName() + ": " + rivals);
        assertThat(rivals.overlaps()).as(rivals.toString()).isZero();
        assertThat(rivals.grants()).as(rivals.toString()).isPositive();
    }
}
