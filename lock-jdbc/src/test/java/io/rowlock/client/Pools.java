package io.rowlock.client;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.test.database.TestSchema;

/** Pools as applications have them. */
public final class Pools {
    private Pools() {}

    public static HikariDataSource locks(TestSchema schema) {
        return locks(schema, "SET SESSION innodb_lock_wait_timeout = 1, time_zone = '+00:00'");
    }

    /** @param initSql how each session begins */
    public static HikariDataSource locks(TestSchema schema, String initSql) {
        HikariConfig config = config(schema, 8);
        config.setConnectionTimeout(10_000);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql(initSql);
        config.addDataSourceProperty("useServerPrepStmts", "true");
        config.addDataSourceProperty("cachePrepStmts", "true");
        config.addDataSourceProperty("emulateUnsupportedPstmts", "false");
        return new HikariDataSource(config);
    }

    /** As the starter sets it up, with its time-outs, leading elsewhere. */
    public static HikariDataSource starter(TestSchema schema, String url) {
        HikariConfig config = config(schema, 8);
        config.setJdbcUrl(null);
        config.setDataSourceClassName(
                MysqlDataSource.class.getName()); // whose limit of a login is not that of the whole JVM
        config.addDataSourceProperty("url", url);
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(2_000);
        config.setValidationTimeout(1_000);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql("SET time_zone = '+00:00', innodb_lock_wait_timeout = 1");
        config.addDataSourceProperty("useServerPrepStmts", "true");
        config.addDataSourceProperty("cachePrepStmts", "true");
        config.addDataSourceProperty("emulateUnsupportedPstmts", "false");
        config.addDataSourceProperty("tcpKeepAlive", "true");
        config.addDataSourceProperty("connectTimeout", "2000");
        config.addDataSourceProperty("socketTimeout", "3000");
        return new HikariDataSource(config);
    }

    public static HikariDataSource application(TestSchema schema, int size) {
        return new HikariDataSource(config(schema, size));
    }

    private static HikariConfig config(TestSchema schema, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(schema.jdbcUrl());
        config.setUsername(schema.username());
        config.setPassword(schema.password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setInitializationFailTimeout(30_000);
        return config;
    }
}
