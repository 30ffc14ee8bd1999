package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockStoreException;
import io.rowlock.servers.Cable;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Questions in an application's transaction, whose connection waits for its answers without a limit. */
@OnServer(ServerFlavor.MYSQL)
class TransactionConnectionTests {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void answerThatDoesNotComeEndsTheConnection(TestSchema schema) throws Exception {
        try (Cable cable = new Cable(schema.jdbcUrl());
                Connection application = new DriverManagerDataSource(cable.url(), schema.username(), schema.password())
                        .getConnection()) {
            TransactionConnection transaction = on(application);
            assertThat(one(transaction)).isOne();
            assertThat(application.getNetworkTimeout()).isZero();
            cable.cut();
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> one(transaction));
            assertThat(application.isClosed()).isTrue();
        }
    }

    /** A driver repeats one in its modes only, whatever else its URL says. */
    @Test
    void transactionThatTheDriverMayRepeatIsRefused(TestSchema schema) throws Exception {
        String url = schema.jdbcUrl() + (schema.jdbcUrl().contains("?") ? "&" : "?") + "transactionReplay=true";
        try (Connection plain = open(schema, url.replace("jdbc:mysql:", "jdbc:mariadb:"));
                Connection repeating = open(schema, url.replace("jdbc:mysql:", "jdbc:mariadb:sequential:"))) {
            assertThat(one(on(plain))).isOne();
            TransactionConnection repeated = on(repeating);
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> one(repeated))
                    .withMessageContaining("transactionReplay");
        }
    }

    private static Connection open(TestSchema schema, String url) throws SQLException {
        return new DriverManagerDataSource(url, schema.username(), schema.password()).getConnection();
    }

    private static int one(TransactionConnection transaction) {
        return transaction.call(
                session -> session.query("SELECT 1", row -> row.getInt(1)).get(0));
    }

    private static TransactionConnection on(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        return new TransactionConnection(new SingleConnectionDataSource(connection, true), LIMIT).on(connection);
    }
}
