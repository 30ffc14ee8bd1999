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
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where locks get their connections. */
public final class LockDataSource {
    private static final Logger log = LoggerFactory.getLogger(LockDataSource.class);

    private final DataSource connections;
    private final @Nullable HikariDataSource pool;

    private LockDataSource(DataSource connections, @Nullable HikariDataSource pool) {
        this.connections = connections;
        this.pool = pool;
    }

    /** The pool made for locks: each of its connections is prepared once, when it is opened. */
    static LockDataSource pool(DataSource pool) {
        return new LockDataSource(pool, LockPool.own(pool));
    }

    /**
     * A DataSource the application declared for locks, set in whatever way.
     *
     * @throws RowlockSetupException if its connections are not fit for locks
     */
    static LockDataSource declared(DataSource declared, String bean) {
        DataSource direct = DirectDataSource.behind(declared, bean);
        if (DirectDataSource.isRouting(direct)) {
            log.warn(
                    "The DataSource \"{}\" routes: locks of one key exclude each other only if it leads every thread to the same database",
                    bean);
        }
        return new LockDataSource(new DeclaredConnections(direct), null);
    }

    /** Returns true if the connections come from a pool that was made for locks. */
    boolean isOwn() {
        return pool != null;
    }

    public DataSource connections() {
        return connections;
    }

    /**
     * Runs {@code work} on connections that may wait for a long statement.
     *
     * @param connect how long opening a connection may take, if that is not the application's business
     */
    void forSchema(Duration connect, Consumer<DataSource> work) {
        if (pool == null) {
            work.accept(connections);
            return;
        }
        try (HikariDataSource patient = LockPool.forMigration(pool, connect)) {
            work.accept(patient);
        }
    }

    /**
     * Runs {@code work} on connections beside one that is in use; a pool of one gets company for that time.
     *
     * @param patience how long a declared DataSource may take to give two
     * @throws LockStoreException if it gave one only
     */
    public <T> T beside(Duration patience, Function<DataSource, T> work) {
        if (pool == null) {
            requireTwo(patience);
        } else if (pool.getMaximumPoolSize() == 1) {
            try (HikariDataSource one = LockPool.forOne(pool)) {
                return work.apply(one);
            }
        }
        return work.apply(connections);
    }

    /** A pool of one would have the work wait for its own connection. */
    private void requireTwo(Duration patience) {
        FutureTask<@Nullable Void> second = new FutureTask<>(() -> {
            connections.getConnection().close();
            return null;
        });
        try (Connection first = connections.getConnection()) {
            DaemonThreads.named("rowlock-start-up").newThread(second).start();
            second.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (SQLException | TimeoutException | ExecutionException ex) {
            throw new LockStoreException("the DataSource for locks gave no two connections at once", ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new LockStoreException("the thread was interrupted", ex);
        }
    }
}
