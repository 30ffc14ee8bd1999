package io.rowlock.store.jdbc;

import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The fence of the strategies whose leases have a row with an expiry: locks each lease's row on the transaction's own
 * connection. Whoever wants to get in waits for that row lock, so for the end of the transaction.
 */
public final class LeaseFence implements Fence {
    private final TransactionConnection transaction;
    private final LeaseRowSql sql;

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
        this.transaction = new TransactionConnection(dataSource, queryTimeout);
        this.sql = sql;
    }

    @Override
    public Optional<Lease> firstLost(List<Lease> leases) {
        return transaction.call(session -> firstLost(session, leases));
    }

    @Override
    public Pinned pinned() {
        TransactionConnection.Pinned present = transaction.pinned();
        return present == null ? Pinned.NEVER_OPEN : new PinnedFence(present);
    }

    private final class PinnedFence implements Pinned {
        private final TransactionConnection.Pinned pinned;

        PinnedFence(TransactionConnection.Pinned pinned) {
            this.pinned = pinned;
        }

        @Override
        public boolean isOpen() {
            return pinned.isOpen();
        }

        @Override
        public Optional<Lease> firstLost(List<Lease> leases) {
            return pinned.call(session -> LeaseFence.this.firstLost(session, leases));
        }
    }

    private Optional<Lease> firstLost(Session session, List<Lease> leases) throws SQLException {
        for (Lease lease : LeaseBatch.of(leases).leases()) {
            if (!isHeld(session, lease)) {
                return Optional.of(lease);
            }
        }
        return Optional.empty();
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
