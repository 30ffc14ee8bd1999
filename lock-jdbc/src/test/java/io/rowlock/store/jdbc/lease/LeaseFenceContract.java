package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Statements;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The check before a commit, inside transactions of an application that knows nothing of the lock pool. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LeaseFenceContract {

    /** Checked before it is over also on a busy machine, and waited for. */
    static final Duration SHORT = Duration.ofSeconds(3);

    private LeaseTable table;
    private DataSource application;
    private CommitCheck fence;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        application = table.pool(config -> {
            config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            config.setConnectionInitSql(LeaseTable.APPLICATION_SQL);
        });
        fence = check(LeaseTable.PREFIX);
    }

    private CommitCheck check(TablePrefix prefix) {
        return new LeaseStore(new LockDatabase(application, 8, LeaseTable.QUERY_TIMEOUT), prefix, null, null)
                .commitCheck(application)
                .orElseThrow();
    }

    @AfterServer
    void close() {
        table.close();
    }

    private TransactionTemplate transaction() {
        TransactionTemplate template = new TransactionTemplate(new DataSourceTransactionManager(application));
        template.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        return template;
    }

    private Optional<Lease> firstLost(Lease... leases) {
        return transaction().execute(status -> LeaseTable.firstLost(fence, leases));
    }

    @Test
    void leasesThatLastPass() {
        assertThat(firstLost(table.acquire(freshKey()), table.acquireShared(freshKey())))
                .isEmpty();
    }

    @Test
    void leaseThatHasRunOutIsLost() {
        Lease held = table.acquire(freshKey());
        Lease writer = table.acquire(freshKey());
        Lease reader = table.acquireShared(freshKey());
        table.expire(writer);
        table.expire(reader);
        assertThat(firstLost(held, writer)).contains(writer);
        assertThat(firstLost(reader, held)).contains(reader);
    }

    @Test
    void leaseTakenOverIsLostThoughTheOwnerIsTheSame() {
        Lease former = table.acquire(freshKey());
        table.expire(former);
        Lease successor = table.acquire(former.key());
        assertThat(firstLost(former)).contains(former);
        assertThat(firstLost(successor)).isEmpty();
    }

    @Test
    void releasedLeaseIsLost() {
        Lease writer = table.acquire(freshKey());
        Lease reader = table.acquireShared(freshKey());
        table.store().release(writer);
        table.store().release(reader);
        assertThat(firstLost(writer)).contains(writer);
        assertThat(firstLost(reader)).contains(reader);
    }

    @Test
    void transactionWithAnOldSnapshotSeesTheTakeOver() {
        Lease former = table.acquire(freshKey());
        Optional<Lease> lost = transaction().execute(status -> {
            new JdbcTemplate(application).queryForList("SELECT * FROM rowlock_lock");
            table.expire(former);
            table.acquire(former.key());
            return LeaseTable.firstLost(fence, former);
        });
        assertThat(lost).contains(former);
    }

    /** MariaDB may refuse a row that was changed since: that must not be taken for a loss, nor end the transaction. */
    @ParameterizedTest
    @EnumSource
    void leasesRenewedOrTakenSinceTheTransactionBeganToReadPass(LockMode mode) {
        Lease renewed = granted(table.store().tryAcquire(request(freshKey(), mode, LeaseTable.TTL)));
        transaction().executeWithoutResult(status -> {
            new JdbcTemplate(application).queryForList("SELECT * FROM rowlock_lock");
            assertThat(table.store().renew(List.of(renewed), LeaseTable.TTL)).containsEntry(renewed, Renewal.RENEWED);
            Lease taken = granted(table.store().tryAcquire(request(freshKey(), mode, LeaseTable.TTL)));
            assertThat(LeaseTable.firstLost(fence, renewed, taken)).isEmpty();
        });
    }

    @Test
    void transactionKeepsItsOwnSettings() {
        String settings =
                "SHOW SESSION VARIABLES WHERE Variable_name LIKE 'innodb_%' OR Variable_name LIKE '%isolation'";
        Lease lease = table.acquire(freshKey());
        transaction().executeWithoutResult(status -> {
            List<?> before = new JdbcTemplate(application).queryForList(settings);
            assertThat(LeaseTable.firstLost(fence, lease)).isEmpty();
            assertThat(new JdbcTemplate(application).queryForList(settings)).isEqualTo(before);
        });
    }

    @Test
    void checkIsOneStatementForEachLease() {
        Lease first = table.acquire(freshKey());
        Lease second = table.acquire(freshKey());
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, first)).isEmpty();
            DataSource session = new SingleConnectionDataSource(DataSourceUtils.getConnection(application), true);
            assertThat(Statements.of(
                            session,
                            () -> assertThat(LeaseTable.firstLost(fence, first, second))
                                    .isEmpty()))
                    .isEqualTo(2);
        });
    }

    @Test
    void checkedLeaseIsNotTakenOverBeforeTheTransactionIsOver() {
        Lease lease = granted(table.store().tryAcquire(request(freshKey(), LockMode.EXCLUSIVE, SHORT)));
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease)).isEmpty();
            table.awaitExpiry(lease);
            assertThat(attempt(table.store(), lease.key())).isEqualTo(new Attempt.Busy(Optional.empty()));
        });
        granted(attempt(table.store(), lease.key()));
    }

    @Test
    void checkedReaderKeepsAWriterOutUntilTheTransactionIsOver() {
        Lease reader = granted(table.store().tryAcquire(request(freshKey(), LockMode.SHARED, SHORT)));
        Attempt.Draining writer = (Attempt.Draining) attempt(table.store(), reader.key());
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, reader)).isEmpty();
            table.awaitExpiry(reader);
            assertThat(table.store().drained(writer.lease()).complete()).isFalse();
        });
        assertThat(table.store().drained(writer.lease()).complete()).isTrue();
    }

    @Test
    void answerThatComesAfterTheLeaseHasRunOutIsTooLate() throws Exception {
        Lease lease = granted(table.store().tryAcquire(request(freshKey(), LockMode.EXCLUSIVE, SHORT)));
        CompletableFuture<Optional<Lease>> check;
        try (LeaseTable.OpenTransaction inTheWay = table.begin()) {
            inTheWay.lock(lease.key(), 0, "FOR UPDATE");
            CompletableFuture<Long> session = new CompletableFuture<>();
            check = checkIn(session, lease);
            table.awaitLockWait(session.get(30, TimeUnit.SECONDS));
            table.awaitExpiry(lease);
        }
        assertThat(check.get(30, TimeUnit.SECONDS)).contains(lease);
    }

    private CompletableFuture<Optional<Lease>> checkIn(CompletableFuture<Long> session, Lease... leases) {
        return async(() -> transaction().execute(status -> {
            session.complete(LeaseTable.connectionId(application));
            return LeaseTable.firstLost(fence, leases);
        }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-08:00", "+13:00"})
    void timeZoneOfASessionDoesNotMatter(String zone) {
        LeaseStore elsewhere = LeaseTable.store(table.pool(config ->
                config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1, time_zone = '" + zone + "'")));
        Lease mine = granted(attempt(elsewhere, freshKey()));
        assertThat(attempt(table.store(), mine.key())).isInstanceOf(Attempt.Busy.class);
        Lease theirs = table.acquire(freshKey());
        assertThat(attempt(elsewhere, theirs.key())).isInstanceOf(Attempt.Busy.class);
        Lease gone = table.acquire(freshKey());
        table.expire(gone);
        Optional<Lease> lost = transaction().execute(status -> {
            new JdbcTemplate(application).execute("SET time_zone = '" + zone + "'");
            assertThat(LeaseTable.firstLost(fence, mine, theirs)).isEmpty();
            return LeaseTable.firstLost(fence, gone);
        });
        assertThat(lost).contains(gone);
        granted(attempt(elsewhere, gone.key()));
    }

    @Test
    void checkThatCannotBeMadeIsAnErrorAndNotAnAnswer() {
        Lease lease = table.acquire(freshKey());
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> LeaseTable.firstLost(fence, lease))
                .withMessageContaining("rowlock.fencing.transactional=false");
        CommitCheck elsewhere = check(new TablePrefix("missing_"));
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> transaction().execute(status -> LeaseTable.firstLost(elsewhere, lease)))
                .withMessageContaining("rowlock.schema.initialize");
    }
}
