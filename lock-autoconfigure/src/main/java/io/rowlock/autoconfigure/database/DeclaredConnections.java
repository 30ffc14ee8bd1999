package io.rowlock.autoconfigure.database;

import io.rowlock.LockStoreException;
import io.rowlock.store.jdbc.session.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The connections of a DataSource that an application declared for locks. Each is set for locks when it is taken: its pool may have
 * set it otherwise in between. Nothing is put back, because nobody else uses them.
 */
final class DeclaredConnections extends DelegatingDataSource {
    private final Duration queryTimeout;

    /** @param queryTimeout how long an answer may take, also while a connection is prepared; zero for none, and for statements that are not of locks */
    DeclaredConnections(DataSource declared, Duration queryTimeout) {
        super(declared);
        this.queryTimeout = queryTimeout;
    }

    /** @throws LockStoreException if the connection belongs to the calling thread's transaction */
    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        boolean prepared = false;
        try {
            requireUnbound(connection);
            prepare(connection);
            prepared = true;
            return connection;
        } finally {
            if (!prepared) {
                Connections.close(connection);
            }
        }
    }

    private void prepare(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(queryTimeout.toMillis()));
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
        }
        if (connection.isReadOnly()) {
            connection.setReadOnly(false);
        }
        if (queryTimeout.isZero()) {
            return;
        }
        if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(LockPool.SESSION);
        }
    }

    /** To set autocommit on the connection of an open transaction would commit it. */
    private static void requireUnbound(Connection connection) throws SQLException {
        for (Object resource :
                TransactionSynchronizationManager.getResourceMap().values()) {
            if (resource instanceof ConnectionHolder holder
                    && holder.getConnectionHandle() != null
                    && physical(holder.getConnection()) == physical(connection)) {
                throw new LockStoreException(
                        "The lock store failed: the DataSource \"rowlockDataSource\" gives out the connection of the thread's own"
                                + " transaction; declare one with connections of its own",
                        null);
            }
        }
    }

    private static @Nullable Connection physical(Connection connection) throws SQLException {
        Connection target = DataSourceUtils.getTargetConnection(connection);
        return target.isWrapperFor(Connection.class) ? target.unwrap(Connection.class) : target;
    }
}
