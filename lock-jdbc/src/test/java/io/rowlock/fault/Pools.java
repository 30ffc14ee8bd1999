package io.rowlock.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The pools of a program, as the starter sets them up. None opens a connection before it is needed. */
final class Pools implements AutoCloseable {
    final DataSource statements;
    final DataSource waiting;
    final DataSource rowLocks;
    final DataSource application;
    final DataSource packets;
    private final List<HikariDataSource> pools = new ArrayList<>();
    final int size;
    final Duration queryTimeout;

    /**
     * @param name whose they are
     * @param sessions what a session begins with, besides its settings
     * @param queryTimeout after how long an answer is given up
     */
    Pools(String name, TestSchema schema, String sessions, int size, Duration queryTimeout) {
        this.size = size;
        this.queryTimeout = queryTimeout;
        statements = pool(name + ", statements", schema, sessions);
        waiting = pool(name + ", waiting", schema, sessions);
        rowLocks = pool(name + ", row locks", schema, sessions);
        pools.get(2).setAutoCommit(false);
        application = pool(name + ", application", schema, sessions);
        packets = pool(name + ", packets", schema, sessions);
        pools.get(4).addDataSourceProperty("allowMultiQueries", "true");
    }

    private DataSource pool(String name, TestSchema schema, String sessions) {
        HikariDataSource pool = new HikariDataSource();
        pool.setPoolName(name);
        pool.setJdbcUrl(schema.jdbcUrl());
        pool.setUsername(schema.username());
        pool.setPassword(schema.password());
        pool.setMaximumPoolSize(size);
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(5_000);
        pool.setValidationTimeout(4_000);
        pool.setInitializationFailTimeout(-1);
        pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        pool.setConnectionInitSql("SET time_zone = '+00:00', innodb_lock_wait_timeout = 1" + sessions);
        driver().forEach(pool::addDataSourceProperty);
        pools.add(pool);
        return new Impatient(pool);
    }

    /** The pool hands nothing to the driver but text. */
    private static Map<String, String> driver() {
        return Map.ofEntries(
                Map.entry("sslMode", "DISABLED"),
                Map.entry("allowPublicKeyRetrieval", "true"),
                Map.entry("useServerPrepStmts", "true"),
                Map.entry("emulateUnsupportedPstmts", "false"),
                Map.entry("cachePrepStmts", "true"),
                Map.entry("prepStmtCacheSize", "250"),
                Map.entry("prepStmtCacheSqlLimit", "16384"),
                Map.entry("useAffectedRows", "false"),
                Map.entry("cacheServerConfiguration", "true"),
                Map.entry("connectTimeout", "5000"),
                Map.entry("socketTimeout", "5000"));
    }

    /** A connection is opened in peace; then answers are given up after the query time-out. */
    private final class Impatient extends DelegatingDataSource {
        Impatient(DataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            connection.setNetworkTimeout(Runnable::run, (int) queryTimeout.toMillis());
            return connection;
        }
    }

    /** Pools whose connections are not all back. */
    List<String> leaks() {
        return pools.stream()
                .filter(pool -> active(pool) > 0)
                .map(pool -> pool.getPoolName() + ": " + active(pool))
                .toList();
    }

    private static int active(HikariDataSource pool) {
        return pool.isRunning() ? pool.getHikariPoolMXBean().getActiveConnections() : 0;
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
    }
}
