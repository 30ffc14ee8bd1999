package io.rowlock.benchmark.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.benchmark.server.Pools;
import io.rowlock.benchmark.server.Servers;
import java.sql.Connection;
import java.sql.SQLException;

/** Bare statements on one connection a thread, which the thread keeps. */
abstract class RawLocks implements Locks {
    private final HikariDataSource pool;

    RawLocks(Servers servers, int threads) {
        pool = Pools.open(servers, threads);
    }

    @Override
    public final Worker worker() throws SQLException {
        Connection connection = pool.getConnection();
        connection.setNetworkTimeout(
                Runnable::run, PATIENCE_SECONDS * 1_000); // the statement itself waits for the lock
        return worker(connection);
    }

    abstract Worker worker(Connection connection) throws SQLException;

    @Override
    public final void close() {
        pool.close();
    }
}
