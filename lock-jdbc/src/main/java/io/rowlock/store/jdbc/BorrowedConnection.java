package io.rowlock.store.jdbc;

import io.rowlock.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A connection of a pool that others use and set up, set for locks while it is borrowed: autocommit, READ COMMITTED, not
 * read-only, in the catalog with the lock tables. What differs is put back as it was.
 */
final class BorrowedConnection {
    private final Connection connection;
    private final boolean autoCommit;
    private final boolean readOnly;
    private final int isolation;
    private final int networkTimeout;
    private final @Nullable String catalog;
    private boolean moved;

    /**
     * Looks at the settings, and changes none.
     *
     * @throws LockStoreException if the connection belongs to the calling thread's transaction
     */
    BorrowedConnection(Connection connection) throws SQLException {
        requireUnbound(connection);
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        this.readOnly = connection.isReadOnly();
        this.isolation = connection.getTransactionIsolation();
        this.networkTimeout = connection.getNetworkTimeout();
        this.catalog = connection.getCatalog();
    }

    /** @return the catalog it was in; null if the driver has none */
    @Nullable
    String catalog() {
        return catalog;
    }

    /** @param lockCatalog where the lock tables are; null for wherever the connection is */
    void prepare(@Nullable String lockCatalog) throws SQLException {
        if (!autoCommit) {
            connection.setAutoCommit(true);
        }
        if (readOnly) {
            connection.setReadOnly(false);
        }
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        if (lockCatalog != null && !Objects.equals(lockCatalog, catalog)) {
            moved = true;
            connection.setCatalog(lockCatalog);
        }
    }

    /** What the statements came to is known by now: a connection that cannot be put back is closed, and that is all. */
    void putBack() {
        try {
            if (moved) {
                connection.setCatalog(catalog);
            }
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(isolation);
            }
            if (readOnly) {
                connection.setReadOnly(true);
            }
            if (!autoCommit) {
                connection.setAutoCommit(false);
            }
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        } catch (SQLException e) {
            Connections.discard(connection);
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
                        "The lock store failed: the DataSource for locks gives out the connection of the thread's own"
                                + " transaction; declare one with connections of its own, a bean named"
                                + " \"rowlockDataSource\" with @Bean(autowireCandidate = false)",
                        null);
            }
        }
    }

    private static Connection physical(Connection connection) throws SQLException {
        Connection target = connection;
        while (target instanceof ConnectionProxy proxy) {
            target = proxy.getTargetConnection();
        }
        return target.isWrapperFor(Connection.class) ? target.unwrap(Connection.class) : target;
    }
}
