package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import io.rowlock.store.NoConnectionException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * The connections the strategies work on. Thread-safe.
 *
 * <p>Each piece of work gets a connection of a pool that is set up for locks: in autocommit mode, under READ COMMITTED, writable.
 */
public final class LockDatabase {
    /** Conflicts are short. */
    private static final int MAX_TRIES = 8;

    /** The first pause before the next try, at most; each further one may be twice as long. */
    private static final long SHORTEST_PAUSE_NANOS = 500_000;

    /** Locks nothing. As a locking read, it goes where writes go. */
    private static final String IS_READ_ONLY = "SELECT %s FOR UPDATE".formatted(JdbcText.READ_ONLY);

    private final DataSource dataSource;
    private final Duration queryTimeout;
    private final WaiterLimit waiters;

    /**
     * @param dataSource the pool
     * @param connections how many connections the pool has for locks; waiters leave a quarter of them, at least one if there
     *     are several, to renewals and releases
     * @param queryTimeout how long a statement may take; rounded up to whole seconds
     * @throws IllegalArgumentException if the pool gives out the connection of the calling thread's transaction
     */
    public LockDatabase(DataSource dataSource, int connections, Duration queryTimeout) {
        if (wraps(dataSource, TransactionAwareDataSourceProxy.class)) {
            throw new IllegalArgumentException(
                    "Locks cannot work on a TransactionAwareDataSourceProxy: it gives out the connection of the thread's own"
                            + " transaction. Pass what is behind it");
        }
        this.dataSource = dataSource;
        this.queryTimeout = Duration.ofSeconds(wholeSeconds(queryTimeout));
        this.waiters = new WaiterLimit(connections, this.queryTimeout);
    }

    /** Returns true if a DataSource is, or wraps, one of a kind; false also if it does not tell. */
    public static boolean wraps(DataSource dataSource, Class<?> kind) {
        try {
            return dataSource.isWrapperFor(kind);
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    /** Returns how long a statement may take, in whole seconds. */
    public Duration queryTimeout() {
        return queryTimeout;
    }

    /** The unit of JDBC, which takes 0 for no limit, and of sessions that end after a silence. Rounds up: that must not be over before ours. */
    public static int wholeSeconds(Duration limit) {
        if (limit.isZero() || limit.isNegative()) {
            throw new IllegalArgumentException("The time limit must be positive, but is " + limit);
        }
        return Math.toIntExact(limit.plusNanos(999_999_999).toSeconds());
    }

    /** Statements on one connection, which may be run again as a whole. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Session session) throws SQLException;
    }

    /** Runs work for a holder, which renews or releases: only each statement is limited. */
    public <T> T call(Work<T> work) {
        return call(null, false, work);
    }

    /** Runs work that ends within one query time-out, because a thread waits for it. */
    public <T> T callInTime(Work<T> work) {
        return call(Duration.ZERO, false, work);
    }

    /**
     * Runs an update that matches no row.
     *
     * @throws LockStoreException if it fails, or the server accepts writes only of users like this one, as a replica
     */
    public void requireWrites(String update) {
        long unfit = callInTime(session ->
                session.update(update) + session.numbers(IS_READ_ONLY).get(0));
        if (unfit > 0) {
            throw SqlFailure.READ_ONLY.exception(SqlFailure.readOnly("read_only spares this user"));
        }
    }

    /**
     * Runs work, again if the server rolled it back because of a conflict; every other error is translated.
     *
     * @param patience the rest of the caller's wait: the work ends one query time-out after it, the wait for a connection included as
     *     far as the pool ends it; null if only each statement is limited
     * @param waits whether it waits for a permit with the work of other waiters, and leaves connections to renewals and releases: there is as
     *     much of such work as there are threads that wait for locks
     * @throws NoConnectionException if no connection came free in time, or the thread was interrupted while it waited for one, which
     *     it is again then
     */
    public <T> T call(@Nullable Duration patience, boolean waits, Work<T> work) {
        Connections.requireStack();
        TimeLimit limit = patience == null ? null : TimeLimit.after(patience, queryTimeout);
        if (waits) {
            waiters.enter();
        }
        try {
            for (int attempt = 1; ; attempt++) {
                Connection connection = connection();
                Session session = new Session(connection, 0, () -> limitAnswer(connection, limit));
                try {
                    return work.run(session);
                } catch (SQLException e) {
                    SqlFailure failure = SqlFailure.of(e);
                    if (failure != SqlFailure.CONFLICT || attempt == MAX_TRIES) {
                        throw failure.exception(e);
                    }
                } finally {
                    Connections.giveBack(connection, session.isAnswered()); // never if an answer is still on its way
                }
                // Those that came between each other must not do so again. An interrupt is for the program, and only
                // makes
                // it shorter
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS << attempt));
            }
        } finally {
            if (waits) {
                waiters.leave();
            }
        }
    }

    private Connection connection() {
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            throw SqlFailure.connecting(e, "all connections of the lock pool are in use; raise rowlock.pool.size");
        }
    }

    /**
     * Gives up on an answer, and the connection with it. A query time-out would have the driver set a timer for each
     * statement, which costs as much as the statement does, and end it from another connection. The sessions of the pool wait for a
     * row lock for a shorter time, so no statement is left behind.
     */
    private void limitAnswer(Connection connection, @Nullable TimeLimit limit) throws SQLException {
        long millis = queryTimeout.toMillis();
        if (limit != null) {
            millis = Math.min(millis, limit.forAnswer().toMillis());
        }
        int present = connection.getNetworkTimeout();
        if (present == 0 || present > millis) {
            connection.setNetworkTimeout(Runnable::run, (int) millis);
        }
    }
}
