package io.rowlock.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.client.LockClientSettings;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.store.LockLog;
import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.Turnstile;
import io.rowlock.test.TestSchema;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A process as the starter sets it up: a client with pools of its own, and transactions that its locks guard. */
final class Program implements AutoCloseable {
    static final int CONNECTIONS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final String SESSION = "SET time_zone = '+00:00', innodb_lock_wait_timeout = 1 " + Wire.READY;

    final String owner;
    final Duration queryTimeout;
    final LockDatabase database;
    final Turnstile turnstile;
    final HikariDataSource rowLocks;
    final HikariDataSource application;
    final RowlockClient client;
    final JdbcTransactionManager transactions;
    final JdbcTemplate sql;
    private final Map<String, HikariDataSource> pools = new LinkedHashMap<>();

    /** @param queryTimeout after how long an answer is given up */
    Program(String owner, Locks locks, Locks.Logging logging, TestSchema schema, Duration queryTimeout) {
        this.owner = owner;
        this.queryTimeout = queryTimeout;
        HikariDataSource statements = pool("locks", schema);
        rowLocks = pool("row locks", schema);
        rowLocks.setAutoCommit(false);
        application = pool("application", schema);
        database = new LockDatabase(statements, queryTimeout, false);
        turnstile = new Turnstile(pool("waiting", schema), CONNECTIONS, queryTimeout);
        LockLog log = logging.open(database);
        LockStore store = locks.store(this, log);
        LockClientSettings settings =
                new LockClientSettings(locks.strategy, Locks.TTL, PATIENCE, "", owner, true, true, null);
        client = new RowlockClient(List.of(store), settings, List.of(), log);
        transactions = new JdbcTransactionManager(application);
        transactions.addListener(new TransactionFence(client, Map.of(locks.strategy, locks.fence(this, store))));
        sql = new JdbcTemplate(application);
    }

    private HikariDataSource pool(String name, TestSchema schema) {
        HikariDataSource pool = new HikariDataSource();
        pool.setPoolName(owner + ", " + name);
        pool.setJdbcUrl(schema.jdbcUrl());
        pool.setUsername(schema.username());
        pool.setPassword(schema.password());
        pool.setMaximumPoolSize(CONNECTIONS);
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(2_000);
        pool.setValidationTimeout(1_000);
        pool.setInitializationFailTimeout(-1);
        pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        pool.setConnectionInitSql(SESSION);
        driver(queryTimeout).forEach(pool::addDataSourceProperty);
        pools.put(name, pool);
        return pool;
    }

    /** The pool hands nothing to the driver but text. */
    private static Map<String, String> driver(Duration queryTimeout) {
        return Map.of(
                "sslMode", "DISABLED",
                "allowPublicKeyRetrieval", "true",
                "useServerPrepStmts", "true",
                "cachePrepStmts", "true",
                "prepStmtCacheSize", "250",
                "prepStmtCacheSqlLimit", "16384",
                "useAffectedRows", "false",
                "connectTimeout", "2000",
                "socketTimeout", Long.toString(queryTimeout.toMillis()));
    }

    /** Pools whose connections are not all back. */
    List<String> leaks() {
        return pools.entrySet().stream()
                .filter(each -> active(each.getValue()) > 0)
                .map(each -> each.getKey() + " of " + owner + ": " + active(each.getValue()))
                .toList();
    }

    private static int active(HikariDataSource pool) {
        return pool.isRunning() ? pool.getHikariPoolMXBean().getActiveConnections() : 0;
    }

    @Override
    public void close() {
        client.close();
        turnstile.close();
        pools.values().forEach(HikariDataSource::close);
    }
}
