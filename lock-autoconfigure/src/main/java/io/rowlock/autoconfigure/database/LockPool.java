package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.Printable;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.lease.LeaseStore;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Makes the small pool of connections that locks have to themselves, leading where the application's own leads. */
final class LockPool {
    /** The ways out where the pool cannot be derived from the application's DataSource. */
    static final String WAYS_OUT =
            "Set rowlock.datasource.url, rowlock.datasource.username and rowlock.datasource.password to the database that is to keep"
                    + " the locks; what the DataSource tells need not be set.";

    private static final String ISOLATION = "TRANSACTION_READ_COMMITTED";

    /** The server's limit of a statement would end a wait, and so a position in the queue. In the words of MySQL and of MariaDB. */
    private static final String UNLIMITED = " /*!80000 , max_execution_time = 0 */ /*M! , max_statement_time = 0 */";

    /**
     * The server ends what a client left behind: a statement that waits for a whole table, a little after the client gave up, and a
     * session that may have rows or a named lock: those behind it in a queue only look every two seconds. The pool asks idle ones for a
     * sign of life more often. A holder that idles for longer loses its position, which costs its release one statement more.
     *
     * <p>Nor do sessions of locks begin as the server, or the URL, has it for others: a limit of rows would hide readers from a writer.
     */
    private static final String LIMITED_SESSION =
            "SET time_zone = '+00:00', innodb_lock_wait_timeout = 1, sql_select_limit = 18446744073709551615, sql_safe_updates = 0, completion_type = 0, lock_wait_timeout = %s, wait_timeout = 300";

    private LockPool() {}

    /**
     * The pool of locks.
     *
     * @param application the application's DataSource, asked for only if {@code given} has no URL
     * @param details how Spring Boot connects the application, if it does
     * @param given what need not be derived
     * @throws RowlockSetupException if the application's DataSource does not tell where it leads, or leads to no MySQL
     */
    static HikariDataSource create(
            Supplier<DataSource> application,
            @Nullable JdbcConnectionDetails details,
            RowlockProperties.Datasource given,
            RowlockProperties.Pool settings) {
        HikariDataSource pool = new HikariDataSource();
        if (given.url() == null) {
            PoolAccess.derive(application.get(), details, given, pool);
        }
        apply(given, pool);
        tune(pool, settings);
        return pool;
    }

    /** Overwrites what was derived. */
    private static void apply(RowlockProperties.Datasource given, HikariDataSource pool) {
        if (given.username() != null || given.password() != null) {
            pool.setCredentialsProvider(null);
        }
        PropertyMapper set = PropertyMapper.get();
        set.from(given.url()).to(pool::setJdbcUrl);
        try {
            set.from(given.driverClassName()).to(pool::setDriverClassName);
        } catch (RuntimeException ex) {
            throw new RowlockSetupException(
                    Printable.of("rowlock.datasource.driver-class-name is of no use: %s.".formatted(ex.getMessage())),
                    "Add the driver to the class path, or remove the property: then the URL tells which one it is.",
                    ex);
        }
        set.from(given.username()).to(pool::setUsername);
        set.from(given.password()).to(pool::setPassword);
    }

    /**
     * A pool for the migration that leads where {@code pool} leads, but with other time-outs. If its first connection cannot be opened,
     * it fails at once.
     *
     * @param connect how long opening a connection may take, and an answer on it, unless the connection is set otherwise
     */
    static HikariDataSource forMigration(HikariDataSource pool, Duration connect) {
        int hosts = new JdbcUrl(pool.getJdbcUrl()).hosts().size();
        String limit = Long.toString(connect.dividedBy(hosts).toMillis());
        return like(pool, "rowlock-schema", patient -> {
            patient.addDataSourceProperty("connectTimeout", limit);
            patient.addDataSourceProperty("socketTimeout", limit);
            patient.setMaximumPoolSize(3);
            patient.setConnectionTimeout(connect.toMillis());
            patient.setInitializationFailTimeout(1);
        });
    }

    /**
     * A pool for the sessions of row locks, one for each lock that is held, that leads where {@code pool} leads. The store
     * bounds each of its statements itself; what waits for a lock waits for longer than any other statement may take.
     */
    static HikariDataSource forRowLocks(HikariDataSource pool) {
        return like(pool, "rowlock-row-lock", pinned -> {
            // The shortest the pool accepts: the server soon ends sessions that are idle after they held a lock
            pinned.setIdleTimeout(10_000);
            pinned.setAutoCommit(false);
            pinned.setTransactionIsolation(ISOLATION);
        });
    }

    /** A pool for those that wait in a queue for a lock, each with a connection of its own for as long as that takes. */
    static HikariDataSource forWaiting(HikariDataSource pool) {
        return like(pool, "rowlock-waiting", own -> prepareSessions(own, pool.getConnectionInitSql() + UNLIMITED));
    }

    /** A pool for leases that are acquired and released together, several statements at once. None of these has a text in it. */
    static HikariDataSource forBatches(HikariDataSource pool) {
        return like(pool, "rowlock-batch", batches -> {
            prepareSessions(batches, pool.getConnectionInitSql());
            batches.setMaximumPoolSize(LeaseStore.BATCHES);
            batches.addDataSourceProperty("allowMultiQueries", "true");
        });
    }

    private static HikariDataSource like(HikariDataSource other, String name, Consumer<HikariDataSource> differences) {
        HikariDataSource pool = new HikariDataSource();
        PoolAccess.copy(other, pool);
        limit(pool, name, other.getMaximumPoolSize(), other.getConnectionTimeout());
        differences.accept(pool);
        WritableHost.chooseFor(pool); // last: it passes on what is set
        return pool;
    }

    private static void limit(HikariDataSource pool, String name, int connections, long connectionTimeout) {
        pool.setPoolName(name);
        pool.setMaximumPoolSize(connections);
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(connectionTimeout);
        pool.setValidationTimeout(Math.min(connectionTimeout, 1_000));
        pool.setInitializationFailTimeout(-1);
    }

    private static void prepareSessions(HikariDataSource pool, String sql) {
        pool.setTransactionIsolation(ISOLATION);
        pool.setConnectionInitSql(sql);
    }

    private static void tune(HikariDataSource pool, RowlockProperties.Pool settings) {
        JdbcUrl url = new JdbcUrl(pool.getJdbcUrl());
        if (!url.leadsToMysql()) {
            throw notMysql(url);
        }
        var driver = DriverSettings.of(url, settings);
        pool.setJdbcUrl(url.without(driver.keySet()).value());
        driver.forEach(pool::addDataSourceProperty);
        limit(pool, "rowlock", settings.size(), settings.connectionTimeout().toMillis());
        pool.setKeepaliveTime(Duration.ofMinutes(2).toMillis());
        prepareSessions(pool, LIMITED_SESSION.formatted(settings.queryTimeout().toSeconds() + 2));
        pool.setExceptionOverride(new UnfitServerEviction(pool.getExceptionOverride()));
        WritableHost.chooseFor(pool);
    }

    private static RowlockSetupException notMysql(JdbcUrl url) {
        return new RowlockSetupException(
                "Rowlock keeps its locks in MySQL or MariaDB, but the database is " + url + ".",
                (url.isEmbedded()
                                ? "In a test, add @RowlockTest (rowlock-test), which keeps locks in memory and needs no MySQL. Otherwise: "
                                : "")
                        + WAYS_OUT
                        + " If another strategy keeps the locks, such as redis, set spring.autoconfigure.exclude="
                        + RowlockDataSourceAutoConfiguration.class.getName()
                        + ": commits on this database are then not checked. Or set rowlock.enabled to false.");
    }
}
