package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
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

    /**
     * The part of a pool that is in use.
     *
     * @param max how many connections it has at most
     * @param active how many are in use
     * @param idle how many are not
     * @param waiting how many threads wait for one
     */
    public record Use(int max, int active, int idle, int waiting) {
        static Use of(HikariDataSource pool) {
            HikariPoolMXBean now = pool.getHikariPoolMXBean();
            return now == null
                    ? new Use(pool.getMaximumPoolSize(), 0, 0, 0)
                    : new Use(
                            pool.getMaximumPoolSize(),
                            now.getActiveConnections(),
                            now.getIdleConnections(),
                            now.getThreadsAwaitingConnection());
        }
    }
}
