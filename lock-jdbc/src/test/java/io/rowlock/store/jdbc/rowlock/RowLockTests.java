package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.TTL;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.attempt;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.await;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.granted;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.isFree;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.jdbc.session.BeforeStatement;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What row locks promise beyond the contract of all stores: connections, sessions, ttl and what it costs. */
@Order(10)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class RowLockTests {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private RowLockTable table;
    private RowLockStore store;
    private RowLockStore other;
    private String key;

    @BeforeServer
    void open(TestSchema own) {
        table = new RowLockTable(own);
    }

    @BeforeEach
    void openStores() {
        key = "key-" + UUID.randomUUID();
        store = table.store(8, true);
        other = table.store(8, true);
    }

    @AfterEach
    void close() {
        table.closeOpened();
    }

    /** Acquires it again if the session ended before its answer was read, as on a machine that stands still for that long. */
    private Lease shortLease(RowLockStore at) {
        AtomicReference<Lease> lease = new AtomicReference<>();
        await(() -> {
            try {
                lease.set(acquire(at, key, SHORT));
                return true;
            } catch (LockStoreException e) {
                return false;
            }
        });
        return lease.get();
    }

    private static Lease acquire(RowLockStore at, String key, Duration ttl) {
        return granted(at.tryAcquire(request(key, LockMode.EXCLUSIVE, ttl)));
    }

    /** Limits of statements would end waits, and those of silent transactions the locks of MariaDB, whatever the ttl. */
    @Test
    void otherLimitsOfTheServerEndNeitherLocksNorWaits() {
        DataSource limited = table.pool(
                2,
                config -> config.setConnectionInitSql(
                        "SET SESSION wait_timeout = 3600 /*!80000 , max_execution_time = 1000 */"
                                + " /*M! , max_statement_time = 1, idle_transaction_timeout = 1, idle_readonly_transaction_timeout = 1,"
                                + " idle_write_transaction_timeout = 1 */"));
        RowLockStore store = table.store(limited, 2, true);
        Lease lease = acquire(store, key, TTL);
        assertThat(table.setting(
                        RowLockTable.session(store, lease),
                        "0 /*!80000 + @@max_execution_time */ /*M! + @@max_statement_time + @@idle_transaction_timeout"
                                + " + @@idle_readonly_transaction_timeout + @@idle_write_transaction_timeout */"))
                .isZero();
        assertThat(store.release(lease)).isTrue();
    }

    private RowLockStore small(int connections) {
        HikariDataSource pool = table.pool(connections, config -> {
            config.setDataSource(table.driver());
            config.setConnectionTimeout(1_000);
        });
        return table.store(pool, connections, true);
    }

    @Test
    void allConnectionsInUseIsAnErrorThatSaysSoAndNotBusy() {
        RowLockStore small = small(2);
        Lease first = acquire(small, key + 1, TTL);
        Lease second = acquire(small, key + 2, TTL);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> acquire(small, key + 3, TTL))
                .withMessageContaining("all 2 connections for row locks are in use; raise rowlock.pool.size");
        assertThat(small.renew(List.of(first, second), TTL).values()).containsOnly(Renewal.RENEWED);
        assertThat(small.release(first)).isTrue();
        acquire(small, key + 3, TTL);
    }

    /** A backup does so, with all tables. */
    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void keyIsNotBusyWhileASessionHasTheTableLocked(LockMode mode) throws Exception {
        RowLockStore impatient =
                new RowLockStore(table.database(SHORT), table.pool(4, config -> {}), 4, RowLockTable.PREFIX, true);
        try (Connection backup = table.driver().getConnection();
                Statement statement = backup.createStatement()) {
            statement.execute("LOCK TABLES rowlock_row READ");
            LeaseRequest request = request(key, mode, TTL);
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> impatient.tryAcquire(request));
        } finally {
            impatient.close();
        }
    }

    @Test
    void busyKeyCostsNoConnection() {
        RowLockStore small = small(1);
        acquire(store, key, TTL);
        for (int i = 0; i < 3; i++) {
            assertThat(attempt(small, key, LockMode.EXCLUSIVE)).isInstanceOf(Attempt.Busy.class);
        }
        acquire(small, key + 1, TTL);
    }

    @Test
    void releaseAfterAKillSaysThatTheLeaseWasGoneAndTheConnectionIsReplaced() {
        RowLockStore small = small(1);
        Lease lease = acquire(small, key, TTL);
        table.kill(RowLockTable.session(small, lease));
        assertThat(small.release(lease)).isFalse();
        Lease next = acquire(small, key, TTL);
        table.kill(RowLockTable.session(small, next));
        assertThat(small.renew(List.of(next), TTL)).containsOnly(Map.entry(next, Renewal.LOST));
        assertThat(small.release(next)).isFalse();
        acquire(small, key, TTL);
    }

    @ParameterizedTest
    @CsvSource({"1000, 1", "1001, 2", "1999, 2", "30000, 30"})
    void ttlIsTheServersPatienceWithASilentSessionRoundedUp(long millis, long seconds) {
        Lease lease = acquire(store, key, Duration.ofMillis(millis));
        assertThat(table.idleLimit(RowLockTable.session(store, lease))).hasSeconds(seconds);
    }

    @Test
    void sessionUsedBeforeGetsTheTtlOfItsNextLease() {
        RowLockStore small = small(1);
        Lease first = acquire(small, key, Duration.ofSeconds(40));
        long session = RowLockTable.session(small, first);
        assertThat(small.release(first)).isTrue();
        Lease second = acquire(small, key, Duration.ofSeconds(50));
        assertThat(RowLockTable.session(small, second)).isEqualTo(session);
        assertThat(table.idleLimit(session)).hasSeconds(50);
    }

    @Test
    void serverCountsTheLongestTtl() {
        Duration longest = StoreCapabilities.LONGEST_TTL;
        Lease lease = acquire(store, key, longest);
        assertThat(table.idleLimit(RowLockTable.session(store, lease))).isEqualTo(longest);
    }

    @Test
    void silentSessionLosesItsLockAfterTheTtl() {
        Lease lease = shortLease(store);
        await(() -> isFree(other, key));
        assertThat(store.renew(List.of(lease), SHORT)).containsOnly(Map.entry(lease, Renewal.LOST));
    }

    @Test
    void signsOfLifeKeepTheLock() throws Exception {
        Duration ttl = Duration.ofSeconds(5); // longer than the machine ever keeps the test from giving one
        Lease lease = acquire(store, key, ttl);
        long start = System.nanoTime();
        while (System.nanoTime() - start < ttl.multipliedBy(2).toNanos()) {
            assertThat(store.renew(List.of(lease), ttl)).containsOnly(Map.entry(lease, Renewal.RENEWED));
            assertThat(isFree(other, key)).isFalse();
            Thread.sleep(200); // between two signs of life, for two ttls by the clock of the server
        }
    }

    @Test
    void leaseLeftToItsEndGivesItsConnectionBack() {
        RowLockStore small = small(1);
        shortLease(small);
        await(() -> {
            try {
                return isFree(small, key + 1);
            } catch (LockStoreException e) {
                return false;
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"EXCLUSIVE, true", "EXCLUSIVE, false", "SHARED, true", "SHARED, false"})
    void uncontendedLockCostsOneStatementAndACommit(LockMode mode, boolean fenced) {
        HikariDataSource one = table.pool(1, config -> {});
        RowLockStore alone = table.store(one, 1, fenced);
        Runnable pair = () ->
                assertThat(alone.release(granted(attempt(alone, key, mode)))).isTrue();
        pair.run();
        long before = questions(one);
        pair.run();
        // besides, the pool rolls back after the first question, and the second one is counted
        assertThat(questions(one) - before - 2).isEqualTo(2);
    }

    private static long questions(DataSource oneConnection) {
        return new JdbcTemplate(oneConnection)
                .query("SHOW SESSION STATUS LIKE 'Questions'", (row, number) -> row.getLong(2))
                .get(0);
    }

    @Test
    void sessionsAreSetUpWhateverThePoolDoes() {
        HikariDataSource careless = table.pool(1, config -> {
            config.setAutoCommit(true);
            config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            config.setConnectionInitSql("SET SESSION time_zone = '-08:00'");
        });
        RowLockStore set = table.store(careless, 1, true);
        Lease lease = acquire(set, key, TTL);
        Lease right = acquire(store, key + 1, TTL);
        assertThat(right.fence() - lease.fence()).isBetween(0L, 60_000_000L);
        assertThat(isFree(other, key)).isFalse();
        assertThat(barrierIsFree()).isTrue();
        assertThat(set.release(lease)).isTrue();
        assertThat(isFree(set, key)).isTrue();
    }

    @Test
    void missingTableIsNamed() {
        RowLockStore lost =
                new RowLockStore(table.database(), table.pool(2, config -> {}), 2, new TablePrefix("missing_"), true);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> acquire(lost, key, TTL))
                .withMessageContaining("rowlock.schema.initialize");
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void lockPassesTheBarrierAndDoesNotKeepIt(LockMode mode) {
        isFree(store, key);
        granted(attempt(store, key, mode));
        assertThat(barrierIsFree()).isTrue();
    }

    private boolean barrierIsFree() {
        try (RowLockTable.OpenTransaction stranger = table.begin()) {
            return stranger.locks(key, -1, "FOR UPDATE NOWAIT");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void closedBarrierIsBusyAndNothingStaysLocked(LockMode mode) {
        isFree(store, key);
        try (RowLockTable.OpenTransaction business = table.begin()) {
            assertThat(business.locks(key, -1, "FOR UPDATE")).isTrue();
            assertThat(attempt(store, key, mode)).isEqualTo(new Attempt.Busy(Optional.empty()));
            assertThat(business.locks(key, -2, "FOR UPDATE NOWAIT")).isTrue();
        }
        granted(attempt(store, key, mode));
    }

    @Test
    void withoutFencingTheBarrierIsOfNoInterest() {
        isFree(store, key);
        RowLockStore unfenced = table.store(2, false);
        try (RowLockTable.OpenTransaction business = table.begin()) {
            assertThat(business.locks(key, -1, "FOR UPDATE")).isTrue();
            assertThat(isFree(unfenced, key)).isTrue();
        }
    }

    @Test
    void rowsThatSomebodyRemovedAreCreatedAgain() {
        Lease first = acquire(store, key, TTL);
        store.release(first);
        table.jdbc().update("DELETE FROM rowlock_row WHERE lock_key = ?", (Object) RowLockTable.bytes(key));
        assertThat(acquire(store, key, TTL).fence()).isGreaterThan(first.fence());
    }

    @Test
    void abandonEndsThatAttemptOnly() {
        LeaseRequest lost = request(key, LockMode.SHARED, TTL);
        LeaseRequest kept = request(key, LockMode.SHARED, TTL);
        Lease gone = granted(store.tryAcquire(lost));
        Lease stays = granted(store.tryAcquire(kept));
        store.abandon(lost);
        assertThat(store.renew(List.of(gone, stays), TTL))
                .containsEntry(gone, Renewal.LOST)
                .containsEntry(stays, Renewal.RENEWED);
    }

    @Test
    void closedStoreHoldsNothing() {
        acquire(store, key, TTL);
        store.close();
        await(() -> isFree(other, key));
    }

    @Test
    void closedStoreHasLostEachOfSeveralLeases() {
        List<Lease> leases = List.of(acquire(store, key + 1, TTL), acquire(store, key + 2, TTL));
        store.close();
        assertThat(store.renew(leases, TTL).values()).containsOnly(Renewal.LOST).hasSize(2);
    }

    @Test
    void closedStoreLeavesNoMinimumToTheTimerOfThePlatform() {
        WeakReference<Lease> kept = keptForAnHour();
        store.close();
        await(() -> {
            System.gc();
            return kept.refersTo(null);
        });
    }

    private WeakReference<Lease> keptForAnHour() {
        Lease lease = acquire(store, key, TTL);
        assertThat(store.release(lease, Duration.ofHours(1))).isTrue();
        return new WeakReference<>(lease);
    }

    /** The interrupt is for the program: to answer it here would be to report a lock as lost that was held. */
    @Test
    void releaseThatIsInterruptedWaitsForTheRenewalThatIsUnderWay() throws Exception {
        AtomicBoolean slow = new AtomicBoolean();
        CountDownLatch renewing = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        RowLockStore far = table.store(
                new BeforeStatement(
                        table.pool(2, config -> {}), sql -> slow.get() && sql.contains("CONNECTION_ID"), () -> {
                            renewing.countDown();
                            awaitLatch(answered);
                        }),
                2,
                true);
        Lease lease = acquire(far, key, TTL);
        slow.set(true);
        CompletableFuture<Map<Lease, Renewal>> renewal =
                CompletableFuture.supplyAsync(() -> far.renew(List.of(lease), TTL));
        renewing.await();
        AtomicBoolean flag = new AtomicBoolean();
        FutureTask<Boolean> release = new FutureTask<>(() -> {
            boolean released = far.release(lease);
            flag.set(Thread.interrupted());
            return released;
        });
        Thread releasing = new Thread(release);
        releasing.start();
        await(() -> releasing.getState() == Thread.State.TIMED_WAITING);
        releasing.interrupt();
        releasing.join(200);
        answered.countDown();
        assertThat(release.get()).isTrue();
        assertThat(flag).isTrue();
        assertThat(renewal.get()).containsEntry(lease, Renewal.RENEWED);
        assertThat(isFree(other, key)).isTrue();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
