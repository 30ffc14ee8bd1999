package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.PREFIX;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.TransactionLocks.Outcome;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application whose statements are limited waits for a lock of its transaction nevertheless. */
@OnEachServer
class StatementLimitTests {
    private static final Duration PATIENCE = Duration.ofMillis(1_200);

    @Test
    void waitThatTheLimitEndsIsBusy(TestSchema schema) {
        try (RowLockTable table = new RowLockTable(schema)) {
            HikariDataSource limited = table.pool(2, config -> {
                config.setAutoCommit(true);
                config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 50"
                        + " /*!80000 , max_execution_time = 500 */ /*M! , max_statement_time = 0.5 */");
            });
            TransactionRowLocks locks = new TransactionRowLocks(
                    table.database(), () -> List.of(limited), new SameDatabase(table.database(), PREFIX), PREFIX);
            locks.create("k");
            try (RowLockTable.OpenTransaction other = table.begin()) {
                assertThat(other.locks("k", TransactionRowLocks.SLOT, "FOR UPDATE"))
                        .isTrue();
                Outcome outcome = new TransactionTemplate(new DataSourceTransactionManager(limited))
                        .execute(status -> lock(locks));
                assertThat(outcome).isEqualTo(Outcome.BUSY);
            }
        }
    }

    private static Outcome lock(TransactionRowLocks locks) {
        try {
            return locks.lock("k", LockMode.EXCLUSIVE, PATIENCE, () -> {});
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
