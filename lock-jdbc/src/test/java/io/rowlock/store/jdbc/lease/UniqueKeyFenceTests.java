package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.acquire;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.cleanup.ImpatientCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The check before a commit, for unique keys. */
@OnEachServer(dependsOnServer = true, mariaDb118 = true)
class UniqueKeyFenceTests extends UniqueKeyContract {

    private DataSource application;
    private CommitCheck fence;

    @BeforeEach
    void openApplication() {
        application = server.pool(config -> {
            config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
            config.setConnectionInitSql(LeaseTable.APPLICATION_SQL);
        });
        fence = store.commitCheck(application).orElseThrow();
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
    void leasesThatLastPassAndTheOthersAreLost() {
        Lease held = acquire(store, freshKey());
        Lease expired = acquire(store, freshKey());
        table.expire(expired);
        Lease former = acquire(store, freshKey());
        table.expire(former);
        Lease successor = acquire(store, former.key());
        Lease released = acquire(store, freshKey());
        store.release(released);
        assertThat(firstLost(held, successor)).isEmpty();
        assertThat(firstLost(held, expired)).contains(expired);
        assertThat(firstLost(held, former)).contains(former);
        assertThat(firstLost(held, released)).contains(released);
    }

    @Test
    void transactionWithAnOldSnapshotSeesTheTakeOver() {
        Lease former = acquire(store, freshKey());
        Optional<Lease> lost = transaction().execute(status -> {
            new JdbcTemplate(application).queryForList("SELECT * FROM rowlock_unique_key");
            table.expire(former);
            acquire(store, former.key());
            return LeaseTable.firstLost(fence, former);
        });
        assertThat(lost).contains(former);
    }

    @Test
    void leasesRenewedOrTakenSinceTheTransactionBeganToReadPass() {
        Lease renewed = acquire(store, freshKey());
        transaction().executeWithoutResult(status -> {
            new JdbcTemplate(application).queryForList("SELECT * FROM rowlock_unique_key");
            assertThat(store.renew(List.of(renewed), LeaseTable.TTL)).containsEntry(renewed, Renewal.RENEWED);
            Lease taken = acquire(store, freshKey());
            assertThat(LeaseTable.firstLost(fence, renewed, taken)).isEmpty();
        });
    }

    @Test
    void checkedLeaseIsNotTakenOverBeforeTheTransactionIsOver() {
        Lease lease = granted(store.tryAcquire(request(freshKey(), LockMode.EXCLUSIVE, LeaseFenceContract.SHORT)));
        transaction().executeWithoutResult(status -> {
            assertThat(LeaseTable.firstLost(fence, lease)).isEmpty();
            table.awaitExpiry(lease);
            assertThat(attempt(store, lease.key())).isEqualTo(new Attempt.Busy(Optional.empty()));
            ImpatientCleanUp.of(
                            new LockDatabase(server.pool(config -> {}), 8, LeaseTable.QUERY_TIMEOUT),
                            LeaseTable.PREFIX,
                            Duration.ofDays(1))
                    .cleanUp();
            assertThat(table.rows(lease.key())).isOne();
        });
        granted(attempt(store, lease.key()));
    }
}
