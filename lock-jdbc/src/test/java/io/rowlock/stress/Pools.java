package io.rowlock.stress;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.test.database.TestSchema;

/** Pools as the starter and applications set them up. */
final class Pools {
    private Pools() {}

    /** @param more what else to set for a session, beginning with a comma, or nothing */
    public static HikariDataSource locks(TestSchema schema, int size, String more) {
        HikariConfig config = config(schema, size);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 1, time_zone = '+00:00'" + more);
        config.addDataSourceProperty("allowMultiQueries", "true");
        config.addDataSourceProperty("useServerPrepStmts", "true");
        config.addDataSourceProperty("cachePrepStmts", "true");
        config.addDataSourceProperty("emulateUnsupportedPstmts", "false");
        return new HikariDataSource(config);
    }

    /** One whose connections are kept for as long as a lock. */
    static HikariDataSource rowLocks(TestSchema schema, int size) {
        HikariConfig config = config(schema, size);
        config.setAutoCommit(false);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.addDataSourceProperty("useServerPrepStmts", "true");
        config.addDataSourceProperty("cachePrepStmts", "true");
        config.addDataSourceProperty("emulateUnsupportedPstmts", "false");
        return new HikariDataSource(config);
    }

    static HikariDataSource application(TestSchema schema, String isolation) {
        HikariConfig config = config(schema, 40);
        config.setTransactionIsolation(isolation);
        config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 2");
        return new HikariDataSource(config);
    }

    private static HikariConfig config(TestSchema schema, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(schema.jdbcUrl());
        config.setUsername(schema.username());
        config.setPassword(schema.password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(10_000);
        return config;
    }
}
