package io.rowlock.autoconfigure.datasource;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.lease.LeaseStore;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Makes the small pool of connections that locks have to themselves, leading where the application's own leads. */
public final class LockPool {
    public static final String WAYS_OUT =
            "Either let locks use the application's DataSource, with rowlock.pool.shared=true: its "
                    + "pool must then be large enough for waiting code and locks together. Or declare a DataSource for locks, a "
                    + "bean named \"rowlockDataSource\" with @Bean(autowireCandidate = false).";

    private static final String SESSION = "SET time_zone = '+00:00', innodb_lock_wait_timeout = 1";

    /** The shortest the pool takes: the server soon ends sessions that are idle after they held a lock. */
    private static final long SHORTEST_IDLE_MILLIS = 10_000;

    private LockPool() {}

    public static HikariDataSource create(
            DataSource application, @Nullable JdbcConnectionDetails details, PoolSettings settings) {
        HikariDataSource pool = new HikariDataSource();
        HikariDataSource source = hikari(application);
        if (source != null && source.getJdbcUrl() != null) {
            copyAccess(source, pool);
        } else if (details != null) {
            copyAccess(details, pool);
        } else {
            throw notDerivable(application);
        }
        tune(pool, settings);
        return pool;
    }

    /** By the interface, so that wrappers of other kinds than Spring's are asked what they wrap. */
    private static @Nullable HikariDataSource hikari(DataSource application) {
        return DirectDataSource.isRouting(application)
                ? null
                : DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class, HikariDataSource.class);
    }

    /**
     * A pool for the migration that leads where {@code pool} leads, but without its short time-outs: another node may be
     * migrating, and that takes as long as it takes. If its first connection cannot be opened, it fails at once.
     *
     * @param connect how long opening a connection may take
     */
    static HikariDataSource forMigration(HikariDataSource pool, Duration connect) {
        HikariDataSource patient = new HikariDataSource();
        copyAccess(pool, patient);
        patient.getDataSourceProperties().remove("socketTimeout");
        int hosts = new JdbcUrl(pool.getJdbcUrl()).hosts().size();
        patient.addDataSourceProperty(
                "connectTimeout", Long.toString(connect.dividedBy(hosts).toMillis()));
        patient.setPoolName("rowlock-schema");
        patient.setMaximumPoolSize(3);
        patient.setMinimumIdle(0);
        patient.setConnectionTimeout(connect.toMillis());
        patient.setValidationTimeout(pool.getValidationTimeout());
        patient.setInitializationFailTimeout(1);
        WritableHost.chooseFor(patient);
        return patient;
    }

    /**
     * A pool for the sessions of row locks, one for each lock that is held, that leads where {@code pool} leads. The store
     * bounds each of its statements itself; what waits for a lock waits for longer than any other statement may take.
     */
    public static HikariDataSource forRowLocks(HikariDataSource pool) {
        HikariDataSource pinned = onDemand(pool, "rowlock-row-lock");
        pinned.setIdleTimeout(SHORTEST_IDLE_MILLIS);
        pinned.setAutoCommit(false);
        return pinned;
    }

    /** A pool for those that wait in a line for a lock, each with a connection of its own for as long as that takes. */
    public static HikariDataSource forWaiting(HikariDataSource pool) {
        HikariDataSource waiting = onDemand(pool, "rowlock-waiting");
        waiting.setConnectionInitSql(SESSION);
        return waiting;
    }

    /** A pool for leases that are taken and released together, several statements at once. None of these has a text in it. */
    public static HikariDataSource forBatches(HikariDataSource pool) {
        HikariDataSource batches = onDemand(pool, "rowlock-batch");
        batches.setMaximumPoolSize(LeaseStore.BATCHES);
        batches.setConnectionInitSql(SESSION);
        batches.addDataSourceProperty("allowMultiQueries", "true");
        return batches;
    }

    private static HikariDataSource onDemand(HikariDataSource like, String name) {
        HikariDataSource pool = new HikariDataSource();
        copyAccess(like, pool);
        pool.setPoolName(name);
        pool.setMaximumPoolSize(like.getMaximumPoolSize());
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(like.getConnectionTimeout());
        pool.setValidationTimeout(like.getValidationTimeout());
        pool.setInitializationFailTimeout(-1);
        pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        WritableHost.chooseFor(pool);
        return pool;
    }

    // Not HikariConfig.copyStateTo: the copy would share the properties of the original, and change them
    private static void copyAccess(HikariDataSource from, HikariDataSource to) {
        to.setJdbcUrl(from.getJdbcUrl());
        if (from.getDriverClassName() != null) {
            to.setDriverClassName(from.getDriverClassName());
        }
        to.setCredentials(from.getCredentials());
        if (from.getCredentialsProvider() != null) {
            to.setCredentialsProvider(from.getCredentialsProvider());
        }
        if (from.getExceptionOverride() != null) {
            to.setExceptionOverride(from.getExceptionOverride());
        }
        Properties properties = new Properties();
        properties.putAll(from.getDataSourceProperties());
        to.setDataSourceProperties(properties);
        to.setCatalog(from.getCatalog());
        to.setSchema(from.getSchema());
        to.setMaxLifetime(from.getMaxLifetime());
        to.setKeepaliveTime(from.getKeepaliveTime());
    }

    private static void copyAccess(JdbcConnectionDetails from, HikariDataSource to) {
        to.setJdbcUrl(from.getJdbcUrl());
        to.setDriverClassName(from.getDriverClassName());
        to.setUsername(from.getUsername());
        to.setPassword(from.getPassword());
    }

    private static void tune(HikariDataSource pool, PoolSettings settings) {
        JdbcUrl url = new JdbcUrl(pool.getJdbcUrl());
        if (!url.leadsToMysql()) {
            throw notMysql(url);
        }
        var driver = DriverSettings.of(url, settings);
        pool.setJdbcUrl(url.without(driver.keySet()).value());
        driver.forEach(pool::addDataSourceProperty);
        pool.setPoolName("rowlock");
        pool.setMaximumPoolSize(settings.size());
        pool.setMinimumIdle(0);
        pool.setConnectionTimeout(settings.connectionTimeout().toMillis());
        pool.setValidationTimeout(Math.min(settings.connectionTimeout().toMillis(), 1_000));
        pool.setInitializationFailTimeout(-1);
        pool.setAutoCommit(true);
        pool.setReadOnly(false);
        pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        pool.setConnectionInitSql(SESSION);
        pool.setExceptionOverride(new UnfitServerEviction(pool.getExceptionOverride()));
        WritableHost.chooseFor(pool);
    }

    private static RowlockSetupException notDerivable(DataSource application) {
        return new RowlockSetupException(
                "Rowlock cannot derive its connection pool from the application's DataSource, a "
                        + application.getClass().getName() + ".",
                WAYS_OUT,
                null);
    }

    private static RowlockSetupException notMysql(JdbcUrl url) {
        return new RowlockSetupException(
                "Rowlock keeps its locks in MySQL or MariaDB, but the application's database is " + url + ".",
                (url.isEmbedded()
                                ? "In a test, add @RowlockTest (rowlock-test), which keeps locks in memory and needs no MySQL. Otherwise declare"
                                : "Declare")
                        + " a DataSource that leads to MySQL or MariaDB for locks, a bean named \"rowlockDataSource\" "
                        + "with @Bean(autowireCandidate = false), or set rowlock.enabled to false.",
                null);
    }
}
