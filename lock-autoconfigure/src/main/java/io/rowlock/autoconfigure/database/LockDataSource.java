package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.DaemonThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where locks get their connections.
 *
 * @param pools the pools behind them, if they were made for locks: each connection is prepared once, when it is opened
 */
public record LockDataSource(
        DataSource connections, @Nullable LockPools pools) {
    private static final Logger log = LoggerFactory.getLogger(LockDataSource.class);

    /**
     * A DataSource the application declared for locks, set in whatever way.
     *
     * @param queryTimeout how long an answer may take
     * @throws RowlockSetupException if its connections are not fit for locks
     */
    static LockDataSource declared(DataSource declared, String bean, Duration queryTimeout) {
        DataSource direct = DirectDataSource.behind(declared, bean);
        if (DirectDataSource.isRouting(direct)) {
            log.warn(
                    "The DataSource \"{}\" routes: locks of one key exclude each other only if it leads every thread to the same database",
                    bean);
        }
        return new LockDataSource(new DeclaredConnections(direct, queryTimeout), null);
    }

    /**
     * Runs {@code work} on connections that may wait for a long statement.
     *
     * @param connect how long opening a connection may take, if that is not the application's business
     */
    void forSchema(Duration connect, Consumer<DataSource> work) {
        if (pools == null) {
            work.accept(new DeclaredConnections(connections, Duration.ZERO));
            return;
        }
        try (HikariDataSource patient = LockPool.forMigration(pools.locks(), connect)) {
            // Another node may be migrating, and that takes as long as it takes
            work.accept(new DeclaredConnections(patient, Duration.ZERO));
        }
    }

    /**
     * Returns what gives connections beside one of {@link #connections()} that is in use.
     *
     * @param patience how long a declared DataSource may take to give two
     * @throws LockStoreException if it gave one only
     */
    public DataSource beside(Duration patience) {
        if (pools != null) {
            return pools.waiting();
        }
        // A pool of one would have the caller wait for its own connection
        FutureTask<@Nullable Void> second = new FutureTask<>(() -> {
            connections.getConnection().close();
            return null;
        });
        try (Connection first = connections.getConnection()) {
            DaemonThreads.named("rowlock-start-up").newThread(second).start();
            second.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return connections;
        } catch (SQLException | TimeoutException | ExecutionException ex) {
            throw new LockStoreException("the DataSource for locks gave no two connections at once", ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new LockStoreException("the thread was interrupted", ex);
        }
    }
}
