package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.FencingTokens;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/** A driver that repeats a transaction on a new connection repeats the check, too, and does not look at its answer. */
@OnServer(ServerFlavor.MYSQL)
class ReplayedTransactionTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema("CREATE TABLE work (id INT)");

    @ParameterizedTest
    @ValueSource(strings = {"lease", "row-lock"})
    void commitIsRefusedIfTheCheckMayBeRepeatedUnseen(String strategy) {
        try (ConfigurableApplicationContext node =
                repeating().with("rowlock.strategy", strategy).start()) {
            JdbcTemplate jdbc = node.getBean(JdbcTemplate.class);
            PlatformTransactionManager manager = node.getBean(PlatformTransactionManager.class);
            ((ConfigurableTransactionManager) manager).addListener(new FailOverAfterTheCheck(jdbc));
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> new TransactionTemplate(manager).executeWithoutResult(status -> {
                        HeldLock lock = node.getBean(LockClient.class).acquire(LockRequest.exclusive("a"));
                        jdbc.update("INSERT INTO work VALUES (1)");
                        lock.close();
                    }))
                    .withMessageContaining("transactionReplay");
            assertThat(schema.jdbc().queryForObject("SELECT COUNT(*) FROM work", Integer.class))
                    .isZero();
        }
    }

    @Test
    void tokenIsRefusedIfItMayBeNotedAgain() {
        try (ConfigurableApplicationContext receiver = repeating().start()) {
            FencingTokens tokens = receiver.getBean(FencingTokens.class);
            new TransactionTemplate(receiver.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> assertThatExceptionOfType(LockStoreException.class)
                            .isThrownBy(() -> tokens.require("a", 1))
                            .withMessageContaining("transactionReplay"));
        }
    }

    private static TestApplication repeating() {
        return new TestApplication(schema)
                .with(
                        "spring.datasource.url",
                        schema.schema().jdbcUrl().replace("jdbc:mysql:", "jdbc:mariadb:sequential:")
                                + "&transactionReplay=true");
    }

    /** As a flush of JPA, whose statements follow the check. */
    private record FailOverAfterTheCheck(JdbcTemplate jdbc) implements TransactionExecutionListener {
        @Override
        public void beforeCommit(TransactionExecution transaction) {
            schema.jdbc().execute("KILL " + jdbc.queryForObject("SELECT CONNECTION_ID()", Long.class));
            schema.jdbc().update("UPDATE rowlock_lock SET expires_at = '1970-01-01', fence = fence + 100000");
            jdbc.update("INSERT INTO work VALUES (2)");
        }
    }
}
