package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The connection of the business transaction that the current thread has open. */
public final class TransactionConnection implements CheckedTransaction {
    private final DataSource dataSource;
    private final int queryTimeoutSeconds;

    /** @see Reads */
    private final Set<String> withoutSetting = ConcurrentHashMap.newKeySet();

    /**
     * @param dataSource the one the transaction manager works on
     * @param queryTimeout how long a statement may take; rounded up to whole seconds
     */
    public TransactionConnection(DataSource dataSource, Duration queryTimeout) {
        this.dataSource = dataSource;
        this.queryTimeoutSeconds = LockDatabase.wholeSeconds(queryTimeout);
    }

    /** Locking reads within the transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Reads reads) throws SQLException;
    }

    @Override
    public <T> T call(Work<T> work) {
        return onConnection(connection -> on(connection, work))
                .orElseThrow(() -> new LockStoreException(
                        "The commit is refused: the transaction does not expose its JDBC connection, so its locks cannot be"
                                + " checked on it; use a JpaDialect that does, or set rowlock.fencing.transactional=false",
                        null));
    }

    /** Work with the transaction's own connection. */
    @FunctionalInterface
    public interface OnConnection<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Returns what work with the connection of the current transaction comes to; empty if there is none. */
    public <T> Optional<T> onConnection(OnConnection<T> work) {
        if (holder().isEmpty()) {
            return Optional.empty();
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return Optional.of(work.run(connection));
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    private Optional<ConnectionHolder> holder() {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                ? Optional.of(holder)
                : Optional.empty();
    }

    /** Returns true if the current transaction reads all data as it was at its first read; false without one. */
    public boolean repeatsReads() {
        return onConnection(connection -> connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED)
                .orElse(false);
    }

    /** Returns how long the current transaction may still last; empty without a limit, or without one. */
    public Optional<Duration> timeLeft() {
        return holder().filter(ConnectionHolder::hasTimeout).map(TransactionConnection::timeLeft);
    }

    /** Spring throws when the time is over, and lets nothing but a rollback follow. */
    private static Duration timeLeft(ConnectionHolder holder) {
        try {
            return Duration.ofMillis(holder.getTimeToLiveInMillis());
        } catch (TransactionTimedOutException over) {
            return Duration.ZERO;
        }
    }

    @Override
    public @Nullable Place place() {
        CheckedTransaction present = pinned();
        return present == this ? null : present.place();
    }

    @Override
    public CheckedTransaction pinned() {
        return holder().<CheckedTransaction>map(holder -> on(holder.getConnection()))
                .orElse(this);
    }

    /** Returns the transaction of a connection, whichever is current. */
    CheckedTransaction on(Connection connection) {
        return new Pinned(connection);
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    /** Returns true if a connection has a transaction, or can begin one. Asks no server. */
    public static boolean isOpen(Connection connection) {
        try {
            return !connection.isClosed() && !connection.getAutoCommit();
        } catch (SQLException e) {
            return false;
        }
    }

    /** Undoes what was done in the current transaction, which gives up its row locks and goes on. Without one nothing happens. */
    public void rollBack() {
        Optional<Boolean> unused = onConnection(connection -> {
            connection.rollback();
            return true;
        });
    }

    /**
     * Runs a statement that changes nothing on a connection without a transaction. One that may only read has no transaction
     * that is to be checked.
     *
     * @throws LockStoreException if it fails otherwise
     */
    public void requireRuns(String sql) {
        try (Connection connection = dataSource.getConnection()) {
            int unused = new Session(connection, queryTimeoutSeconds).update(sql);
        } catch (SQLException e) {
            if (SqlFailure.of(e) != SqlFailure.READ_ONLY) {
                throw SqlFailure.of(e).exception(e);
            }
        }
    }

    private <T> T on(Connection connection, Work<T> work) {
        Connections.requireStack();
        Session session = new Session(connection, queryTimeoutSeconds);
        try {
            String server = connection.getMetaData().getDatabaseProductVersion();
            return work.run(new Reads(session, server, withoutSetting));
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        } finally {
            if (!session.isAnswered()) {
                Connections.spoil(connection); // the application would get the answer that is still on its way
            }
        }
    }

    /**
     * Locking reads on the connection of the application's transaction. They must see, and lock, what others have committed
     * since that transaction began to read: a lease it relies on may have been renewed, or taken, meanwhile.
     *
     * <p>MySQL reads so always. MariaDB with {@code innodb_snapshot_isolation}, which is on by default from 11.6.2 on, refuses
     * such a row under REPEATABLE READ with error 1020 and rolls the transaction back. So there the setting is off for the one
     * statement; the application's own statements keep it. Servers from before the setting do not know it and say so, once.
     */
    public static final class Reads {
        private static final String CURRENT = "SET STATEMENT innodb_snapshot_isolation = OFF FOR ";
        private static final int UNKNOWN_VARIABLE = 1193;

        private final Session session;
        private final String server;
        private final Set<String> withoutSetting;

        /**
         * @param session within the transaction
         * @param server the version of its server, as the driver knows it
         * @param withoutSetting versions known not to have the setting, thread-safe; may grow
         */
        Reads(Session session, String server, Set<String> withoutSetting) {
            this.session = session;
            this.server = server;
            this.withoutSetting = withoutSetting;
        }

        /**
         * Reads and locks rows. Late or without an answer it does no harm: the locks it may take end with the transaction, which
         * cannot commit before the answer has come.
         */
        public <T> List<T> query(String sql, Session.Row<T> row, Object... parameters) throws SQLException {
            return current(sql, statement -> session.query(statement, row, parameters));
        }

        /** Reads rows as the transaction sees them, and locks none. */
        public <T> List<T> snapshot(String sql, Session.Row<T> row, Object... parameters) throws SQLException {
            return session.query(sql, row, parameters);
        }

        /** Changes a row and returns how many it counts. The same holds for it. */
        public int update(String sql, Object... parameters) throws SQLException {
            return current(sql, statement -> session.update(statement, parameters));
        }

        private interface Read<T> {
            T run(String statement) throws SQLException;
        }

        private <T> T current(String sql, Read<T> read) throws SQLException {
            if (!server.contains("MariaDB") || withoutSetting.contains(server)) {
                return read.run(sql);
            }
            try {
                return read.run(CURRENT + sql);
            } catch (SQLException e) {
                if (e.getErrorCode() != UNKNOWN_VARIABLE) {
                    throw e;
                }
                withoutSetting.add(server);
                return read.run(sql);
            }
        }
    }

    /** A transaction that may be suspended. */
    private final class Pinned implements CheckedTransaction {
        private final Connection connection;

        private Pinned(Connection connection) {
            this.connection = connection;
        }

        @Override
        public CheckedTransaction pinned() {
            return this;
        }

        /** In autocommit mode row locks end with their statement: the transaction is over. */
        @Override
        public boolean isOpen() {
            return TransactionConnection.isOpen(connection);
        }

        @Override
        public Place place() {
            try {
                return Place.of(connection);
            } catch (SQLException e) {
                throw SqlFailure.of(e).exception(e);
            }
        }

        /** {@inheritDoc} Whichever transaction is current. */
        @Override
        public <T> T call(Work<T> work) {
            return on(connection, work);
        }
    }
}
