package io.rowlock.benchmark.server;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Pools with the settings of the starter's lock pool, the same for every contender on the database. */
public final class Pools {
    private static final Map<String, String> DRIVER = Map.ofEntries(
            Map.entry("useServerPrepStmts", "true"),
            Map.entry("cachePrepStmts", "true"),
            Map.entry("prepStmtCacheSize", "250"),
            Map.entry("emulateUnsupportedPstmts", "false"),
            Map.entry("prepStmtCacheSqlLimit", "16384"),
            Map.entry("rewriteBatchedStatements", "false"),
            Map.entry("useAffectedRows", "false"),
            Map.entry("tcpKeepAlive", "true"),
            Map.entry("autoReconnect", "false"),
            Map.entry("connectTimeout", "2000"),
            Map.entry("socketTimeout", "3000"));
    private static final String ISOLATION = "READ_COMMITTED";
    private static final String SESSION = "SET time_zone = '+00:00', innodb_lock_wait_timeout = 1";

    private Pools() {}

    /**
     * @param servers where the database is
     * @param size how many connections, all open when it returns
     * @return a pool of its own
     */
    public static HikariDataSource open(Servers servers, int size) {
        return filled(new HikariDataSource(settings(servers, size, size)));
    }

    /** Otherwise it would be filled, one connection after the other, while something is measured. */
    private static HikariDataSource filled(HikariDataSource pool) {
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                all.add(pool.getConnection());
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The pool cannot be filled", e);
        } finally {
            all.forEach(Pools::giveBack);
        }
        return pool;
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("A connection cannot be given back", e);
        }
    }

    /**
     * @param servers where the database is
     * @param size how many connections at most, opened when they are needed
     * @return a pool of its own
     */
    public static HikariDataSource openOnDemand(Servers servers, int size) {
        return new HikariDataSource(settings(servers, size, 0));
    }

    /**
     * @param servers where the database is
     * @param size how many connections, all open when it returns
     * @return a pool of its own whose connections take several statements at once
     */
    public static HikariDataSource openForPackets(Servers servers, int size) {
        HikariConfig config = settings(servers, size, size);
        config.addDataSourceProperty("allowMultiQueries", "true");
        return filled(new HikariDataSource(config));
    }

    /**
     * @param servers where the database is
     * @param size how many connections, all open when it returns
     * @return a pool of its own for sessions whose transactions stay open
     */
    public static HikariDataSource openForTransactions(Servers servers, int size) {
        HikariConfig config = settings(servers, size, size);
        config.setAutoCommit(false);
        return filled(new HikariDataSource(config));
    }

    private static HikariConfig settings(Servers servers, int size, int idle) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(servers.jdbcUrl());
        config.setUsername(servers.username());
        config.setPassword(servers.password());
        DRIVER.forEach(config::addDataSourceProperty);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(idle);
        config.setConnectionTimeout(10_000);
        config.setTransactionIsolation("TRANSACTION_" + ISOLATION);
        config.setConnectionInitSql(SESSION);
        return config;
    }

    /** @return the settings, for people to read */
    public static String description() {
        return DRIVER.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .collect(Collectors.joining(", ", "", ", " + ISOLATION + ", " + SESSION));
    }
}
