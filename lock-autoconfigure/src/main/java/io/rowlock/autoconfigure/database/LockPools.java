package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The pools that are made for locks. All but the first open no connection before they are needed.
 *
 * @param connections the first pool, with whatever a {@code BeanPostProcessor} has put around it
 * @param locks the pool that the others lead where it leads
 * @param waiting for threads that wait for a lock of another process
 * @param batches for many leases at once
 * @param rowLocks for the sessions of row locks
 */
public record LockPools(
        DataSource connections,
        HikariDataSource locks,
        HikariDataSource waiting,
        HikariDataSource batches,
        HikariDataSource rowLocks)
        implements AutoCloseable {
    static final String BEAN_NAME = "rowlockDataSource";

    /**
     * The pools beside the first one.
     *
     * @param connections the first one
     * @throws RowlockSetupException if it is another one, or hidden
     */
    static LockPools of(DataSource connections) {
        HikariDataSource locks = LockPool.own(connections);
        return new LockPools(
                connections,
                locks,
                LockPool.forWaiting(locks),
                LockPool.forBatches(locks),
                LockPool.forRowLocks(locks));
    }

    public List<HikariDataSource> all() {
        return List.of(locks, waiting, batches, rowLocks);
    }

    /**
     * Runs {@code work} on connections that may wait for a long statement: another node may be migrating, and that takes as long as it
     * takes.
     *
     * @param connect how long opening a connection may take
     */
    void forSchema(Duration connect, Consumer<DataSource> work) {
        try (HikariDataSource patient = LockPool.forMigration(locks, connect)) {
            work.accept(new DelegatingDataSource(patient) {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection connection = super.getConnection();
                    connection.setNetworkTimeout(Runnable::run, 0);
                    return connection;
                }
            });
        }
    }

    /** Closes those it has made. */
    @Override
    public void close() {
        rowLocks.close();
        batches.close();
        waiting.close();
    }
}
