package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The connection of the business transaction that the current thread has open. */
public final class TransactionConnection implements CheckedTransaction {
    private final DataSource dataSource;
    private final int queryTimeoutSeconds;

    /** @see CurrentReads */
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
        T run(CurrentReads reads) throws SQLException;
    }

    @Override
    public <T> T call(Work<T> work) {
        if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder)) {
            throw new LockStoreException(
                    "The commit is refused: the transaction does not expose its JDBC connection, so its locks cannot be"
                            + " checked on it; use a JpaDialect that does, or set rowlock.fencing.transactional=false",
                    null);
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return on(connection, work);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Returns true if the current transaction reads all data as it was at its first read; false without one. */
    public boolean repeatsReads() {
        if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder)) {
            return false;
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return connection.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED;
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    @Override
    public @Nullable Place place() {
        Pinned present = pinned();
        return present == null ? null : present.place();
    }

    /** Undoes what was done in the current transaction, which gives up its row locks and goes on. Without one nothing happens. */
    public void rollBack() {
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder) {
            Connection connection = DataSourceUtils.getConnection(dataSource);
            try {
                connection.rollback();
            } catch (SQLException e) {
                throw SqlFailure.of(e).exception(e);
            } finally {
                DataSourceUtils.releaseConnection(connection, dataSource);
            }
        }
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
        Session.requireStack();
        Session session = new Session(connection, queryTimeoutSeconds);
        try {
            String server = connection.getMetaData().getDatabaseProductVersion();
            return work.run(new CurrentReads(session, server, withoutSetting));
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        } finally {
            if (!session.isAnswered()) {
                Connections.spoil(connection); // the application would get the answer that is still on its way
            }
        }
    }

    /** A transaction that may be suspended. */
    public final class Pinned implements CheckedTransaction {
        private final Connection connection;

        private Pinned(Connection connection) {
            this.connection = connection;
        }

        /** In autocommit mode row locks end with their statement: the transaction is over. */
        public boolean isOpen() {
            try {
                return !connection.isClosed() && !connection.getAutoCommit();
            } catch (SQLException e) {
                return false;
            }
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

    /** @return the current transaction, or null if its connection is not known */
    @Nullable
    public Pinned pinned() {
        return TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                ? new Pinned(holder.getConnection())
                : null;
    }
}
