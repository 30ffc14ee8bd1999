package io.rowlock.store.jdbc;

import io.rowlock.LockStoreException;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The fence of the strategies whose leases have a row with an expiry: locks each lease's row on the transaction's own
 * connection. Whoever wants to get in waits for that row lock, so for the end of the transaction.
 */
public final class LeaseFence implements Fence {
    private final DataSource dataSource;
    private final LeaseRowSql sql;
    private final int queryTimeoutSeconds;

    /**
     * The fence of strategy {@code lease}.
     *
     * @param dataSource the one the transaction manager works on
     * @param prefix what the lock table's name begins with
     * @param queryTimeout how long a check may take; rounded up to whole seconds
     */
    public LeaseFence(DataSource dataSource, TablePrefix prefix, Duration queryTimeout) {
        this(dataSource, new LeaseSql(prefix).rows, queryTimeout);
    }

    /**
     * The fence of strategy {@code unique-key}.
     *
     * @param dataSource the one the transaction manager works on
     * @param prefix what the table's name begins with
     * @param queryTimeout how long a check may take; rounded up to whole seconds
     * @return the fence
     */
    public static LeaseFence ofUniqueKeys(DataSource dataSource, TablePrefix prefix, Duration queryTimeout) {
        return new LeaseFence(dataSource, new UniqueKeySql(prefix).rows, queryTimeout);
    }

    private LeaseFence(DataSource dataSource, LeaseRowSql sql, Duration queryTimeout) {
        this.dataSource = dataSource;
        this.sql = sql;
        this.queryTimeoutSeconds = LockDatabase.wholeSeconds(queryTimeout);
    }

    @Override
    public Optional<Lease> firstLost(List<Lease> leases) {
        if (!(TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder)) {
            throw new LockStoreException(
                    "The commit is refused: the transaction does not expose its JDBC connection, so its locks cannot be"
                            + " checked on it; use a JpaDialect that does, or set rowlock.fencing.transactional=false",
                    null);
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            Session session = new Session(connection, queryTimeoutSeconds);
            for (Lease lease : LeaseBatch.of(leases).leases()) {
                if (!isHeld(session, lease)) {
                    return Optional.of(lease);
                }
            }
            return Optional.empty();
        } catch (SQLException e) {
            throw SqlFailure.of(e).exception(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** The server said how long the lease lasts when it got the statement, so the time since it was sent is gone. */
    private boolean isHeld(Session session, Lease lease) throws SQLException {
        long sent = System.nanoTime();
        List<Long> remainingMicros =
                session.query(sql.fence(lease.mode()), row -> row.getLong(1), sql.naming.parameters(lease));
        long elapsedMicros = (System.nanoTime() - sent) / 1_000;
        return !remainingMicros.isEmpty() && remainingMicros.get(0) > elapsedMicros;
    }
}
