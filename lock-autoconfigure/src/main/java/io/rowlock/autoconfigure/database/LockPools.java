package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The pools that are made for locks. None of them is a bean: the application's own DataSource stays the single one everywhere, its health is
 * not reported twice, and nothing is put around them. All but the first open no connection before they are needed.
 *
 * @param locks the first pool; the others lead where it leads
 * @param waiting for threads that wait for a lock of another process
 * @param batches for many leases at once
 * @param rowLocks for the sessions of row locks
 */
public record LockPools(
        HikariDataSource locks, HikariDataSource waiting, HikariDataSource batches, HikariDataSource rowLocks)
        implements AutoCloseable {
    /** Makes the pools beside the first one. */
    static LockPools of(HikariDataSource locks) {
        return new LockPools(
                locks, LockPool.forWaiting(locks), LockPool.forBatches(locks), LockPool.forRowLocks(locks));
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

    @Override
    public void close() {
        rowLocks.close();
        batches.close();
        waiting.close();
        locks.close();
    }
}
