package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.PREFIX;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring suspends a transaction only for another one of its own manager, so both are bound to the thread. */
@OnServer
class TwoTransactionsTests {
    @Test
    void lockIsRefusedIfItCouldBePartOfEither(TestSchema schema) {
        try (RowLockTable table = new RowLockTable(schema)) {
            HikariDataSource one = table.pool(2, config -> config.setAutoCommit(true));
            HikariDataSource two = table.pool(2, config -> config.setAutoCommit(true));
            TransactionRowLocks locks = new TransactionRowLocks(
                    table.database(), () -> List.of(one, two), new SameDatabase(table.database(), PREFIX), PREFIX);
            locks.create("k");
            TransactionTemplate inner = new TransactionTemplate(new DataSourceTransactionManager(two));
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            new TransactionTemplate(new DataSourceTransactionManager(one))
                    .executeWithoutResult(outer ->
                            inner.executeWithoutResult(status -> assertThatIllegalStateException()
                                    .isThrownBy(() -> locks.lock("k", LockMode.EXCLUSIVE, Duration.ZERO, () -> {}))
                                    .withMessageContaining("Transactions of 2 managers")));
        }
    }
}
