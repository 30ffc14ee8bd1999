package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.PREFIX;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.TTL;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.await;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.bytes;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.TransactionLocks.Outcome;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.cleanup.ImpatientCleanUp;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Which rows of row locks are removed, and what becomes of those who were about to use one. */
@OnEachServer(dependsOnServer = true)
class OldRowCleanUpTests {
    private static final int ROW = 0;
    private static final int BARRIER = -1;
    private static final int GATE = -2;

    private RowLockTable table;
    private RowLockStore store;
    private HikariDataSource application;
    private TransactionRowLocks locks;
    private IntSupplier cleanUp;
    private IntSupplier eager;

    @BeforeEach
    void open(TestSchema schema) {
        table = new RowLockTable(schema);
        table.jdbc().update("DELETE FROM rowlock_row");
        store = table.store(12, true);
        application = application("TRANSACTION_READ_COMMITTED");
        locks = locksOn(application);
        cleanUp = ImpatientCleanUp.ofRows(table.database(), PREFIX, Duration.ofDays(7));
        HikariDataSource patient = table.pool(2, config -> {
            config.setAutoCommit(true);
            config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 20, time_zone = '+00:00'");
        });
        eager = ImpatientCleanUp.ofRows(new LockDatabase(patient, 8, Duration.ofMinutes(1)), PREFIX);
    }

    private TransactionRowLocks locksOn(HikariDataSource dataSource) {
        SameDatabase same = new SameDatabase(table.database(), PREFIX);
        return new TransactionRowLocks(table.database(), () -> List.of(dataSource), same, PREFIX);
    }

    private HikariDataSource application(String isolation) {
        return table.pool(12, config -> {
            config.setAutoCommit(true);
            config.setTransactionIsolation(isolation);
            config.setConnectionInitSql(LeaseTable.APPLICATION_SQL);
        });
    }

    @AfterEach
    void close() {
        table.close();
    }

    private static Attempt attempt(RowLockStore at, String key, LockMode mode) {
        return at.tryAcquire(request(key, mode, TTL));
    }

    private Lease acquire(String key, LockMode mode) {
        return ((Attempt.Granted) attempt(store, key, mode)).lease();
    }

    /** Both strategies have used a key. */
    private void used(String key) {
        store.release(acquire(key, LockMode.EXCLUSIVE));
        locks.create(key);
    }

    private void created(String key, int daysAgo) {
        table.jdbc()
                .update(
                        "UPDATE rowlock_row SET created_on = UTC_DATE() - INTERVAL ? DAY WHERE lock_key = ?",
                        daysAgo,
                        bytes(key));
    }

    private int rows(String key) {
        return table.count("SELECT COUNT(*) FROM rowlock_row WHERE lock_key = ?", (Object) bytes(key));
    }

    private int rows(String key, int slot) {
        return table.count("SELECT COUNT(*) FROM rowlock_row WHERE lock_key = ? AND slot = ?", bytes(key), slot);
    }

    private TransactionTemplate transaction(HikariDataSource on) {
        return new TransactionTemplate(new DataSourceTransactionManager(on));
    }

    private Outcome lock(String key, LockMode mode, Duration patience) {
        try {
            return locks.lock(key, mode, patience, () -> {});
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- by age

    @ParameterizedTest
    @CsvSource({"0, 3", "1, 3", "7, 3", "8, 0", "20, 0", "100, 0", "1000, 0"})
    void rowsAreKeptForSomeDaysSinceTheirCreation(int daysAgo, int left) {
        used("k");
        assertThat(rows("k")).isEqualTo(3);
        created("k", daysAgo);
        assertThat(cleanUp.getAsInt()).isEqualTo(left == 3 ? 0 : 2);
        assertThat(rows("k")).isEqualTo(left);
    }

    @Test
    void rowThatWasCreatedAgainSinceItWasSeenStays() {
        used("k");
        created("k", 30);
        AtomicInteger calls = new AtomicInteger();
        LockDatabase late = new LockDatabase(
                new DelegatingDataSource(lockPool()) {
                    @Override
                    public Connection getConnection() throws SQLException {
                        if (calls.incrementAndGet() == 3) {
                            created("k", 0); // between the look at the window and the lock
                        }
                        return super.getConnection();
                    }
                },
                8,
                RowLockTable.QUERY_TIMEOUT);
        assertThat(ImpatientCleanUp.ofRows(late, PREFIX, Duration.ofDays(7)).getAsInt())
                .isZero();
        assertThat(calls).hasValue(4);
        assertThat(rows("k")).isEqualTo(3);
    }

    private HikariDataSource lockPool() {
        return table.pool(2, config -> {
            config.setAutoCommit(true);
            config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1");
        });
    }

    @Test
    void manyRowsGoPageByPageWhateverTheirKeys() {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < 802; i++) {
            rows.add(new Object[] {new byte[] {(byte) 0xff, (byte) (i >> 8), (byte) i}, i % 2 == 0 ? ROW : BARRIER});
        }
        table.jdbc().batchUpdate("INSERT INTO rowlock_row VALUES (?, ?, 0, '2020-01-01')", rows);
        table.jdbc()
                .update("INSERT INTO rowlock_row SELECT lock_key, -2, 1, created_on FROM rowlock_row WHERE slot = -1");
        assertThat(cleanUp.getAsInt()).isEqualTo(802);
        assertThat(table.count("SELECT COUNT(*) FROM rowlock_row")).isZero();
        assertThat(cleanUp.getAsInt()).isZero();
    }

    // ---- what is in use stays, and is not waited for

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void heldKeyStays(LockMode mode) {
        Lease lease = acquire("k", mode);
        assertRemoved(0);
        assertThat(rows("k")).isEqualTo(2);
        store.release(lease);
        assertRemoved(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void rowOfAnOpenTransactionStays(LockMode mode) {
        locks.create("k");
        transaction(application).executeWithoutResult(status -> {
            assertThat(lock("k", mode, Duration.ZERO)).isEqualTo(Outcome.LOCKED);
            assertRemoved(0);
            assertThat(rows("k")).isOne();
        });
        assertRemoved(1);
    }

    /** Its lock is lost already, but its commit is not: who has the key next must not get past it. */
    @ParameterizedTest
    @ValueSource(strings = {"FOR UPDATE", "LOCK IN SHARE MODE"})
    void barrierOfATransactionThatIsAboutToCommitStaysWithItsGate(String how) {
        used("k");
        try (RowLockTable.OpenTransaction commits = table.begin()) {
            assertThat(commits.locks("k", BARRIER, how)).isTrue();
            assertRemoved(1); // the row of strategy transaction
            assertThat(rows("k", GATE) + rows("k", BARRIER)).isEqualTo(2);
        }
        assertRemoved(1);
        assertThat(rows("k")).isZero();
    }

    @Test
    void rowsOfOtherKeysAreInNoOnesWay() {
        List.of("a", "b", "c").forEach(this::used);
        created("b", 30);
        try (RowLockTable.OpenTransaction others = table.begin()) {
            for (int slot : new int[] {GATE, BARRIER, ROW}) {
                assertThat(others.locks("a", slot, "FOR UPDATE")).isTrue();
                assertThat(others.locks("c", slot, "FOR UPDATE")).isTrue();
            }
            assertThat(cleanUp.getAsInt()).isEqualTo(2);
        }
        assertThat(rows("a") + rows("c")).isEqualTo(6);
    }

    /** A wait would take twenty seconds. */
    private void assertRemoved(int keys) {
        Stopwatch time = Stopwatch.start();
        assertThat(eager.getAsInt()).isEqualTo(keys);
        assertThat(time.taken()).as("without a wait").isLessThan(Duration.ofSeconds(10));
    }

    // ---- those who were about to use a row

    /** As the clean-up does it, but held open in the middle. */
    private RowLockTable.OpenTransaction removing(String key, int... slots) {
        RowLockTable.OpenTransaction removing = table.begin();
        for (int slot : slots) {
            assertThat(removing.locks(key, slot, "FOR UPDATE NOWAIT")).isTrue();
        }
        for (int slot : slots) {
            removing.update("DELETE FROM rowlock_row WHERE lock_key = ? AND slot = " + slot, key);
        }
        return removing;
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void waiterForARemovedGateGetsNoLockByItAndCreatesItAgain(LockMode mode) throws Exception {
        used("k");
        LeaseRequest request = request("k", mode, TTL);
        try (RowLockTable.OpenTransaction removing = removing("k", GATE, BARRIER);
                QueuePosition ticket = store.queue().join(request).orElseThrow()) {
            Future<?> waiting = CompletableFuture.runAsync(() -> waitAtGate(ticket));
            await(() -> table.waiting() == 1);
            removing.commit();
            waiting.get(20, TimeUnit.SECONDS);
            assertThat(rows("k", GATE)).isZero();
            assertThat(ticket.tryAcquire(request)).isInstanceOf(Attempt.Granted.class);
        }
        assertThat(rows("k", GATE) + rows("k", BARRIER)).isEqualTo(2);
        assertThat(attempt(table.store(2, true), "k", LockMode.EXCLUSIVE)).isInstanceOf(Attempt.Busy.class);
    }

    private static void waitAtGate(QueuePosition ticket) {
        try {
            ticket.await(Duration.ofSeconds(20));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commitThatFindsNoBarrierIsRefused(boolean takenAgain) throws Exception {
        CommitCheck fence = store.commitCheck(application).orElseThrow();
        Lease lost = acquire("k", LockMode.EXCLUSIVE);
        table.kill(RowLockTable.session(store, lost));
        CompletableFuture<Optional<Lease>> check;
        try (RowLockTable.OpenTransaction removing = removing("k", GATE, BARRIER)) {
            check = CompletableFuture.supplyAsync(
                    () -> transaction(application).execute(status -> LeaseTable.firstLost(fence, lost)));
            await(() -> table.waitingForBarrier() == 1);
            removing.commit();
        }
        if (takenAgain) {
            RowLockStore other = table.store(2, true);
            await(() -> attempt(other, "k", LockMode.EXCLUSIVE) instanceof Attempt.Granted);
        }
        assertThat(check.get(20, TimeUnit.SECONDS)).contains(lost);
        Optional<Lease> later = transaction(application).execute(status -> LeaseTable.firstLost(fence, lost));
        assertThat(later).contains(lost);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void transactionThatWaitedForARemovedRowHasItOnlyOnceItIsCreated(String isolation) throws Exception {
        HikariDataSource waiters = application(isolation);
        locks = locksOn(waiters);
        locks.create("k");
        CompletableFuture<List<Outcome>> outcomes;
        try (RowLockTable.OpenTransaction removing = removing("k", ROW)) {
            outcomes = CompletableFuture.supplyAsync(() -> transaction(waiters).execute(status -> {
                Outcome waited = lock("k", LockMode.EXCLUSIVE, Duration.ofSeconds(30));
                locks.create("k");
                return List.of(
                        waited,
                        lock("k", LockMode.EXCLUSIVE, Duration.ZERO),
                        rows("k") == 1 ? Outcome.LOCKED : Outcome.NO_ROW);
            }));
            await(() -> table.waitingForRow() == 1);
            removing.commit();
        }
        List<Outcome> found = outcomes.get(20, TimeUnit.SECONDS);
        assertThat(found.get(0)).isEqualTo(Outcome.NO_ROW);
        assertThat(found.get(1)).isEqualTo(found.get(2));
        locks.create("k");
        assertThat(rows("k")).isOne();
        transaction(waiters)
                .executeWithoutResult(status ->
                        assertThat(lock("k", LockMode.EXCLUSIVE, Duration.ZERO)).isEqualTo(Outcome.LOCKED));
    }

    /** It keeps nothing that would be in the way of the row. */
    @Test
    void transactionThatFindsNoRowCanStillHaveItCreated() {
        locks.create("k");
        transaction(application).executeWithoutResult(status -> {
            assertRemoved(1);
            assertThat(lock("k", LockMode.EXCLUSIVE, Duration.ZERO)).isEqualTo(Outcome.NO_ROW);
            locks.create("k");
            assertThat(lock("k", LockMode.EXCLUSIVE, Duration.ZERO)).isEqualTo(Outcome.LOCKED);
        });
    }

    // ---- all at once

    @Test
    void removalAndUseAtTheSameTimeLetNoTwoIn() throws Exception {
        RowLockStore other = table.store(12, true);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger insideTransaction = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicInteger entered = new AtomicInteger();
        AtomicInteger removed = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                RowLockStore at = i % 2 == 0 ? store : other;
                all.add(threads.submit(() -> until(over, () -> {
                    if (attemptThatMayVanish(at) instanceof Attempt.Granted granted) {
                        enter(inside, overlaps, entered);
                        at.release(granted.lease());
                    }
                })));
                all.add(threads.submit(() -> until(over, () -> {
                    locks.create("k");
                    transaction(application).executeWithoutResult(status -> {
                        if (lock("k", LockMode.EXCLUSIVE, Duration.ofMillis(1_100)) == Outcome.LOCKED) {
                            enter(insideTransaction, overlaps, entered);
                        }
                    });
                })));
            }
            all.add(threads.submit(() -> until(over, () -> removed.addAndGet(eager.getAsInt()))));
            TimeUnit.SECONDS.sleep(3);
            over.set(true);
            for (Future<?> each : all) {
                each.get(30, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(overlaps).hasValue(0);
        assertThat(entered).hasPositiveValue();
        assertThat(removed).hasPositiveValue();
    }

    /** Rows this young are removed faster than anything else works: a thread that creates them may never find them. */
    private static Attempt attemptThatMayVanish(RowLockStore at) {
        try {
            return attempt(at, "k", LockMode.EXCLUSIVE);
        } catch (LockStoreException e) {
            assertThat(e).hasMessageContaining("vanish again and again");
            return new Attempt.Busy(Optional.empty());
        }
    }

    private static void until(AtomicBoolean over, Runnable work) {
        while (!over.get()) {
            work.run();
        }
    }

    private static void enter(AtomicInteger inside, AtomicInteger overlaps, AtomicInteger entered) {
        if (inside.incrementAndGet() != 1) {
            overlaps.incrementAndGet();
        }
        entered.incrementAndGet();
        inside.decrementAndGet();
    }
}
