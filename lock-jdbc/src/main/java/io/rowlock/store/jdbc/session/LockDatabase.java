package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import io.rowlock.store.ConnectionsInUseException;
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

    private static final int USUAL_CONNECTIONS = 8;

    private final DataSource dataSource;
    private final int queryTimeoutSeconds;
    private final WaiterLimit waiters;
    private final Returns returns;

    /** The one connection of a caller that keeps it; null if the pool gives one for each piece of work. */
    private final @Nullable Connection kept;

    /**
     * As {@link #LockDatabase(DataSource, int, Duration)}, with a pool of eight connections.
     *
     * @param dataSource the pool
     * @param queryTimeout how long a statement may take; rounded up to whole seconds
     */
    public LockDatabase(DataSource dataSource, Duration queryTimeout) {
        this(dataSource, USUAL_CONNECTIONS, queryTimeout);
    }

    /**
     * @param dataSource the pool
     * @param connections how many connections the pool has for locks; waiters leave a quarter of them, at least one if there
     *     are several, to renewals and releases
     * @param queryTimeout how long a statement may take; rounded up to whole seconds
     * @throws IllegalArgumentException if the pool gives out the connection of the calling thread's transaction
     */
    public LockDatabase(DataSource dataSource, int connections, Duration queryTimeout) {
        this.dataSource = notTransactionAware(dataSource);
        this.queryTimeoutSeconds = wholeSeconds(queryTimeout);
        this.waiters = new WaiterLimit(connections, Duration.ofSeconds(queryTimeoutSeconds));
        this.returns = new Returns();
        this.kept = null;
    }

    private LockDatabase(LockDatabase all, Connection kept) {
        this.dataSource = all.dataSource;
        this.queryTimeoutSeconds = all.queryTimeoutSeconds;
        this.waiters = all.waiters;
        this.returns = all.returns;
        this.kept = kept;
    }

    /**
     * The same database over one connection, which takes no turn with the waiters of the pool. Used by one thread.
     *
     * @param kept of a pool of the library's own, kept open by the caller
     */
    public LockDatabase over(Connection kept) {
        return new LockDatabase(this, kept);
    }

    private static DataSource notTransactionAware(DataSource dataSource) {
        try {
            if (!dataSource.isWrapperFor(TransactionAwareDataSourceProxy.class)) {
                return dataSource;
            }
        } catch (SQLException | RuntimeException e) {
            return dataSource; // it has nothing to say about what it wraps
        }
        throw new IllegalArgumentException(
                "Locks cannot work on a TransactionAwareDataSourceProxy: it gives out the connection of the thread's own"
                        + " transaction. Pass what is behind it");
    }

    /** The unit of JDBC, which takes 0 for no limit. */
    public static int wholeSeconds(Duration queryTimeout) {
        if (queryTimeout.isZero() || queryTimeout.isNegative()) {
            throw new IllegalArgumentException("The query time-out must be positive, but is " + queryTimeout);
        }
        return Math.toIntExact(queryTimeout.plusMillis(999).toSeconds());
    }

    /** Statements on one connection, which may be run again as a whole. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Session session) throws SQLException;
    }

    /**
     * On whose behalf work is done.
     *
     * @param patience how long the caller still waits: the work ends one query time-out after it, the wait for a connection
     *     included as far as the pool ends it; null if only each statement is limited
     * @param waiter whether it is work of which there is as much as there are threads that wait for locks: it takes its turn with the
     *     others', and leaves connections to renewals and releases
     */
    public record Caller(@Nullable Duration patience, boolean waiter) {
        /** Renews or releases what is held. */
        public static final Caller HOLDER = new Caller(null, false);

        /** Wants an answer within one query time-out. */
        static final Caller IN_TIME = new Caller(Duration.ZERO, false);

        public static Caller waiter(Duration patience) {
            return new Caller(patience, true);
        }
    }

    /** Runs work on behalf of a holder. */
    public <T> T call(Work<T> work) {
        return call(Caller.HOLDER, work);
    }

    /** Runs work that ends within one query time-out, because a thread waits for it. */
    public <T> T callInTime(Work<T> work) {
        return call(Caller.IN_TIME, work);
    }

    /**
     * Runs work, again if the server rolled it back because of a conflict; every other error is translated.
     *
     * @throws ConnectionsInUseException for a waiter, if no connection came free in time though the database answers, or the
     *     thread was interrupted while it waited for one, which it is again then
     */
    public <T> T call(Caller caller, Work<T> work) {
        returns.again();
        TimeLimit limit = limit(caller);
        boolean takesTurn = caller.waiter() && kept == null;
        if (takesTurn) {
            waiters.enter();
        }
        try {
            for (int attempt = 1; ; attempt++) {
                Connection connection = connection();
                Session session = session(connection, limit);
                try {
                    T result = work.run(session);
                    waiters.answered();
                    return result;
                } catch (SQLException e) {
                    requireConflict(e, attempt);
                } finally {
                    giveBack(connection, session);
                }
                pauseAfter(attempt);
            }
        } finally {
            if (takesTurn) {
                waiters.leave();
            }
        }
    }

    private @Nullable TimeLimit limit(Caller caller) {
        Duration patience = caller.patience();
        return patience == null ? null : TimeLimit.after(patience, Duration.ofSeconds(queryTimeoutSeconds));
    }

    /** @throws LockStoreException unless the work is to be run again */
    private void requireConflict(SQLException error, int attempt) {
        SqlFailure failure = SqlFailure.of(error);
        if (failure != SqlFailure.NO_ANSWER) {
            waiters.answered();
        }
        if (failure != SqlFailure.CONFLICT || attempt == MAX_TRIES) {
            throw failure.exception(error);
        }
    }

    /** Those that came between each other must not do so again. An interrupt is for the program, and only makes it shorter. */
    private static void pauseAfter(int attempt) {
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE_NANOS << attempt));
    }

    /** What that comes to changes no outcome. Never back to the pool if an answer is still on its way. */
    private void giveBack(Connection connection, Session used) {
        if (!used.isAnswered()) {
            returns.discard(connection);
        } else if (connection != kept) {
            returns.giveBack(connection);
        }
    }

    private Connection connection() {
        if (kept != null) {
            return kept;
        }
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            LockStoreException failure = SqlFailure.connecting(e);
            if (failure instanceof ConnectionsInUseException inUse) {
                throw new ConnectionsInUseException(
                        String.valueOf(inUse.getMessage()), e, waiters.databaseAnswers(), false);
            }
            waiters.unreachable(failure);
            throw failure;
        }
    }

    private Session session(Connection connection, @Nullable TimeLimit limit) {
        return new Session(connection, 0, used -> limitAnswer(used, limit));
    }

    /**
     * Gives up on an answer, and the connection with it. A query time-out would have the driver set a timer for each
     * statement, which costs as much as the statement does, and end it from another connection. The sessions of the pool wait for a
     * row lock for a shorter time, so no statement is left behind.
     */
    private void limitAnswer(Connection connection, @Nullable TimeLimit limit) throws SQLException {
        long millis = queryTimeoutSeconds * 1_000L;
        if (limit != null) {
            millis = Math.min(millis, limit.forAnswer().toMillis());
        }
        int present = connection.getNetworkTimeout();
        if (present == 0 || present > millis) {
            connection.setNetworkTimeout(Runnable::run, (int) millis);
        }
    }
}
