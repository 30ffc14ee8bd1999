package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import java.util.List;

/**
 * The pools that are made for locks. All but the first open no connection before they are needed.
 *
 * @param locks the pool that the others lead where it leads
 * @param waiting for threads that wait for a lock of another process
 * @param batches for many leases at once
 * @param rowLocks for the sessions of row locks
 */
public record LockPools(
        HikariDataSource locks, HikariDataSource waiting, HikariDataSource batches, HikariDataSource rowLocks)
        implements AutoCloseable {
    static final String BEAN_NAME = "rowlockDataSource";

    static LockPools besides(HikariDataSource locks) {
        return new LockPools(
                locks, LockPool.forWaiting(locks), LockPool.forBatches(locks), LockPool.forRowLocks(locks));
    }

    public List<HikariDataSource> all() {
        return List.of(locks, waiting, batches, rowLocks);
    }

    /** Closes those it has made. */
    @Override
    public void close() {
        rowLocks.close();
        batches.close();
        waiting.close();
    }
}
