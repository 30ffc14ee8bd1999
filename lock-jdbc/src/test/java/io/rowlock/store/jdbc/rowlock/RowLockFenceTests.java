package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.TTL;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.await;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The barrier before a commit, in transactions under REPEATABLE READ. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true, mariaDb118 = true)
class RowLockFenceTests {
    private RowLockTable table;
    private HikariDataSource application;
    private RowLockStore store;
    private RowLockStore other;
    private CommitCheck fence;
    private String key;

    @BeforeServer
    void open(TestSchema schema) {
        table = new RowLockTable(schema);
    }

    @BeforeEach
    void openStores() {
        key = "key-" + UUID.randomUUID();
        application = table.pool(4, config -> {
            config.setAutoCommit(true);
            config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            config.setConnectionInitSql(LeaseTable.APPLICATION_SQL);
        });
        store = table.store(8, true);
        other = table.store(8, true);
        fence = store.commitCheck(application).orElseThrow();
    }

    @AfterEach
    void close() {
        table.closeOpened();
    }

    private TransactionTemplate transaction() {
        return new TransactionTemplate(new DataSourceTransactionManager(application));
    }

    private Optional<Lease> firstLost(Lease... leases) {
        return transaction().execute(status -> LeaseTable.firstLost(fence, leases));
    }

    private static Attempt attempt(RowLockStore at, String key, LockMode mode) {
        return at.tryAcquire(request(key, mode, TTL));
    }

    private static Lease acquire(RowLockStore at, String key, LockMode mode) {
        Attempt attempt = attempt(at, key, mode);
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).lease();
    }

    private void kill(Lease lease) {
        table.kill(RowLockTable.session(store, lease));
    }

    @Test
    void leasesThatLastPass() {
        assertThat(firstLost(acquire(store, key + 1, LockMode.EXCLUSIVE), acquire(store, key + 2, LockMode.SHARED)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void leaseWhoseSessionWasKilledIsLost(LockMode mode) {
        Lease held = acquire(store, key + 1, mode);
        Lease lost = acquire(store, key, mode);
        kill(lost);
        assertThat(firstLost(held, lost)).contains(lost);
        assertThat(firstLost(held)).isEmpty();
    }

    @Test
    void releasedLeaseIsLost() {
        Lease lease = acquire(store, key, LockMode.EXCLUSIVE);
        store.release(lease);
        assertThat(firstLost(lease)).contains(lease);
    }

    @Test
    void leaseOfAnotherProcessIsNotOurs() {
        Lease lease = acquire(other, key, LockMode.EXCLUSIVE);
        assertThat(firstLost(lease)).contains(lease);
    }

    @Test
    void leaseWhoseRowsWereRemovedIsLostBecauseNoBarrierStandsForIt() {
        Lease lease = acquire(store, key, LockMode.EXCLUSIVE);
        table.jdbc()
                .update("DELETE FROM rowlock_row WHERE lock_key = ? AND slot = -1", (Object) RowLockTable.bytes(key));
        assertThat(firstLost(lease)).contains(lease);
    }

    /** Which of those that follow have to wait for the end of a checked transaction, though the lock's session is gone. */
    @ParameterizedTest
    @CsvSource({"EXCLUSIVE, EXCLUSIVE", "EXCLUSIVE, SHARED", "SHARED, EXCLUSIVE"})
    void noOwnerGetsPastACheckedTransaction(LockMode mode, LockMode follower) {
        Lease lease = acquire(store, key, mode);
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease)).isEmpty();
            kill(lease);
            assertThat(attempt(other, key, follower)).isInstanceOf(Attempt.Busy.class);
            assertThat(attempt(store, key, follower)).isInstanceOf(Attempt.Busy.class);
        });
        acquire(other, key, follower);
    }

    @Test
    void noWaiterGetsPastItEither() {
        Lease lease = acquire(store, key, LockMode.EXCLUSIVE);
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, TTL);
        try (QueuePosition place = other.queue().join(request).orElseThrow()) {
            transaction().executeWithoutResult(status -> {
                assertThat(LeaseTable.firstLost(fence, lease)).isEmpty();
                kill(lease);
                for (int i = 0; i < 3; i++) {
                    wait(place);
                    assertThat(place.tryAcquire(request)).isInstanceOf(Attempt.Busy.class);
                }
            });
            wait(place);
            assertThat(place.tryAcquire(request)).isInstanceOf(Attempt.Granted.class);
        }
    }

    private static void wait(QueuePosition place) {
        try {
            place.await(Duration.ofSeconds(20));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void readersThatAreAboutToCommitDoNotHoldUpReaders() {
        Lease reader = acquire(store, key, LockMode.SHARED);
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, reader)).isEmpty();
            Lease next = acquire(store, key, LockMode.SHARED);
            TransactionTemplate second = transaction();
            second.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
            Optional<Lease> lost = second.execute(inner -> LeaseTable.firstLost(fence, next));
            assertThat(lost).isEmpty();
        });
    }

    /** The session is asked only when the barrier is up: an answer from before says nothing. */
    @Test
    void leaseLostWhileTheBarrierIsWaitedForIsLost() throws Exception {
        Lease lease = acquire(store, key, LockMode.EXCLUSIVE);
        CompletableFuture<Optional<Lease>> check;
        try (RowLockTable.OpenTransaction inTheWay = table.begin()) {
            assertThat(inTheWay.locks(key, -1, "FOR UPDATE")).isTrue();
            check = CompletableFuture.supplyAsync(() -> firstLost(lease));
            await(() -> table.waitingForBarrier() == 1);
            kill(lease);
        }
        assertThat(check.get(20, TimeUnit.SECONDS)).contains(lease);
    }

    @Test
    void transactionWithAnOldSnapshotSeesTheLoss() {
        Lease lease = acquire(store, key, LockMode.EXCLUSIVE);
        Optional<Lease> lost = transaction().execute(status -> {
            new JdbcTemplate(application).queryForList("SELECT * FROM rowlock_row");
            kill(lease);
            acquire(other, key, LockMode.EXCLUSIVE);
            return LeaseTable.firstLost(fence, lease);
        });
        assertThat(lost).contains(lease);
    }

    /** The key's rows are younger than what the transaction reads. */
    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void leaseOfAKeyFirstUsedSinceTheTransactionBeganToReadPasses(LockMode mode) {
        Optional<Lease> lost = transaction().execute(status -> {
            new JdbcTemplate(application).queryForList("SELECT * FROM rowlock_row");
            return LeaseTable.firstLost(fence, acquire(store, key, mode));
        });
        assertThat(lost).isEmpty();
    }

    @Test
    void checkThatCannotBeMadeIsAnErrorAndNotAnAnswer() {
        Lease lease = acquire(store, key, LockMode.EXCLUSIVE);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> LeaseTable.firstLost(fence, lease))
                .withMessageContaining("rowlock.fencing.transactional=false");
    }

    @Test
    void storeWhoseLocksPassNoBarrierCannotBeFenced() {
        RowLockStore unfenced = table.store(2, false);
        assertThatIllegalArgumentException().isThrownBy(() -> unfenced.commitCheck(application));
    }
}
