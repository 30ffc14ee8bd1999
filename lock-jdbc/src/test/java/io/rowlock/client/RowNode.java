package io.rowlock.client;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;

/** A node whose locks are row locks. */
final class RowNode implements AutoCloseable {
    private static final int CONNECTIONS = 20;

    final HikariDataSource sessions;
    final ScriptedStore store;
    final RowlockClient client;
    private final HikariDataSource statements;

    RowNode(TestSchema schema, String owner) {
        statements = Pools.locks(schema);
        sessions = sessions(schema);
        LockDatabase database = new LockDatabase(statements, 8, Node.QUERY_TIMEOUT);
        store = new ScriptedStore(new RowLockStore(database, sessions, CONNECTIONS, Node.PREFIX, true));
        client = RowlockClient.builder(store)
                .waitTime(Duration.ZERO)
                .owner(owner)
                .build();
    }

    private static HikariDataSource sessions(TestSchema schema) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(schema.jdbcUrl());
        config.setUsername(schema.username());
        config.setPassword(schema.password());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(10_000);
        config.setAutoCommit(false);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        return new HikariDataSource(config);
    }

    @Override
    public void close() {
        client.close();
        sessions.close();
        statements.close();
    }
}
