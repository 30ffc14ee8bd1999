package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.jdbc.fence.TokenFence;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.memory.InMemoryLockStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** What becomes of the start if the database of the lock tables answers the question for the table of tokens with an error. */
@ExtendWith(OutputCaptureExtension.class)
class TransactionFencesTests {
    private static final int READ_ONLY = 1290;
    private static final int NO_TABLE = 1146;

    /** Has one error for everybody who connects. */
    private static final class Refusing extends AbstractDataSource {
        private final int error;

        Refusing(int error) {
            this.error = error;
        }

        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLException("refused", "HY000", error);
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }
    }

    @Test
    void serverThatTakesNoWritesIsWarnedOfAndAnyOtherErrorStopsTheStart(CapturedOutput output) {
        guard(READ_ONLY);
        assertThat(output).contains("No transaction under a lock of strategy redis can commit at the moment");
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> guard(NO_TABLE));
    }

    private static void guard(int error) {
        InMemoryLockStore store = new InMemoryLockStore().named("redis");
        LockDatabase database = new LockDatabase(new Refusing(error), Duration.ofSeconds(3));
        try (RowlockClient client = RowlockClient.builder(store).build()) {
            new TransactionFences(
                            new DefaultListableBeanFactory(),
                            client,
                            List.of(store),
                            new TokenFencing(
                                    "redis",
                                    transactional -> new TokenFence(
                                            transactional,
                                            database,
                                            new TablePrefix("rowlock_"),
                                            true,
                                            (lease, seen) -> {})),
                            null,
                            transactional -> null,
                            new Binder(new MapConfigurationPropertySource(Map.of()))
                                    .bindOrCreate("rowlock", RowlockProperties.class),
                            new HashSet<>())
                    .fence("manager", new DataSourceTransactionManager(new Refusing(error)));
        }
    }
}
