package io.rowlock.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The connections the strategies work on. Thread-safe.
 *
 * <p>Each piece of work gets a connection in autocommit mode under READ COMMITTED. A pool of the library's own is set up
 * so; connections of an application's pool are set so each time and put back as they were.
 */
public final class LockDatabase {
    /** Conflicts are rare and short; five in a row mean that something else is wrong. */
    private static final int MAX_TRIES = 5;

    /** Where a statement is stopped by a query time-out, the network's is the last resort. */
    private static final Duration QUERY_TIMEOUT_FIRST = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final int queryTimeoutSeconds;
    private final boolean shared;

    /**
     * @param dataSource the pool
     * @param queryTimeout how long a statement may take; rounded up to whole seconds
     * @param shared whether the pool is the application's, so that its connections must be set up each time, and their
     *     statements stopped, since its sessions may wait for a row lock for longer than {@code queryTimeout}
     */
    public LockDatabase(DataSource dataSource, Duration queryTimeout, boolean shared) {
        this.dataSource = dataSource;
        this.queryTimeoutSeconds = wholeSeconds(queryTimeout);
        this.shared = shared;
    }

    /** The unit of JDBC, which takes 0 for no limit. */
    static int wholeSeconds(Duration queryTimeout) {
        if (queryTimeout.isZero() || queryTimeout.isNegative()) {
            throw new IllegalArgumentException("The query time-out must be positive, but is " + queryTimeout);
        }
        return Math.toIntExact(queryTimeout.plusMillis(999).toSeconds());
    }

    /** Statements on one connection, which may be run again as a whole. */
    @FunctionalInterface
    interface Work<T> {
        T run(Session session) throws SQLException;
    }

    /** Runs work, again if the server rolled it back because of a conflict; every other error is translated. */
    <T> T call(Work<T> work) {
        return tryToCall(null, work);
    }

    /**
     * Like {@link #call(Work)}, and ends one query time-out after the caller's patience does, the wait for a connection
     * included as far as the pool ends it.
     */
    <T> T call(Duration patience, Work<T> work) {
        return tryToCall(TimeLimit.after(patience, Duration.ofSeconds(queryTimeoutSeconds)), work);
    }

    private <T> T tryToCall(@Nullable TimeLimit limit, Work<T> work) {
        for (int attempt = 1; ; attempt++) {
            Connection connection = connection();
            try {
                return run(connection, limit, work);
            } catch (SQLException e) {
                SqlFailure failure = SqlFailure.of(e);
                if (failure != SqlFailure.CONFLICT || attempt == MAX_TRIES) {
                    throw failure.exception(e);
                }
            } finally {
                RowSession.close(connection); // what that comes to changes no outcome
            }
        }
    }

    private Connection connection() {
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            throw SqlFailure.connecting(e);
        }
    }

    private <T> T run(Connection connection, @Nullable TimeLimit limit, Work<T> work) throws SQLException {
        if (!shared) {
            return work.run(new Session(connection, 0, used -> limitAnswer(used, limit, Duration.ZERO)));
        }
        Session session =
                new Session(connection, queryTimeoutSeconds, used -> limitAnswer(used, limit, QUERY_TIMEOUT_FIRST));
        PresentSettings present = PresentSettings.of(connection);
        try {
            connection.setAutoCommit(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            return work.run(session);
        } finally {
            restoreOrDiscard(connection, present);
        }
    }

    /** What the work came to stays, whatever becomes of the connection. */
    private static void restoreOrDiscard(Connection connection, PresentSettings present) {
        try {
            present.restore(connection);
        } catch (SQLException e) {
            RowSession.discard(connection);
        }
    }

    /** How a connection of somebody else's pool is set. */
    private record PresentSettings(boolean autoCommit, int isolation, int networkTimeout) {
        static PresentSettings of(Connection connection) throws SQLException {
            return new PresentSettings(
                    connection.getAutoCommit(), connection.getTransactionIsolation(), connection.getNetworkTimeout());
        }

        void restore(Connection connection) throws SQLException {
            connection.setTransactionIsolation(isolation);
            connection.setAutoCommit(autoCommit);
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        }
    }

    /**
     * Gives up on an answer, and the connection with it. A query time-out would have the driver set a timer for each
     * statement, which costs as much as the statement does, and end it from another connection; that is for pools whose
     * sessions wait longer for a row lock than for an answer, so that no statement is left behind.
     */
    private void limitAnswer(Connection connection, @Nullable TimeLimit limit, Duration slack) throws SQLException {
        long millis = queryTimeoutSeconds * 1_000L;
        if (limit != null) {
            millis = Math.min(millis, limit.forAnswer().toMillis());
        }
        millis += slack.toMillis();
        int present = connection.getNetworkTimeout();
        if (present == 0 || present > millis) {
            connection.setNetworkTimeout(Runnable::run, (int) millis);
        }
    }
}
