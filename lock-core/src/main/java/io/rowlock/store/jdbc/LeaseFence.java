package io.rowlock.store.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import io.rowlock.store.Fence;
import io.rowlock.store.Lease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The fence of strategy {@code lease}: locks each lease's row on the transaction's own connection. Whoever wants to get
 * in waits for that row lock, so for the end of the transaction.
 */
public final class LeaseFence implements Fence {
    private final TransactionConnection transaction;
    private final LeaseSql sql;

    /**
     * @param dataSource the one the transaction manager works on
     * @param prefix what the lock table's name begins with
     * @param queryTimeout how long a check may take; rounded up to whole seconds
     */
    public LeaseFence(DataSource dataSource, TablePrefix prefix, Duration queryTimeout) {
        this.transaction = new TransactionConnection(dataSource, queryTimeout);
        this.sql = new LeaseSql(prefix);
    }

    @Override
    public Optional<Lease> firstLost(List<Lease> leases) {
        return transaction.call(session -> {
            for (Lease lease : LeaseBatch.of(leases).leases()) {
                if (!isHeld(session, lease)) {
                    return Optional.of(lease);
                }
            }
            return Optional.empty();
        });
    }

    /** The server said how long the lease lasts when it got the statement, so the time since it was sent is gone. */
    private boolean isHeld(Session session, Lease lease) throws SQLException {
        String check = lease.mode() == LockMode.EXCLUSIVE ? sql.fenceExclusive : sql.fenceShared;
        long sent = System.nanoTime();
        List<Long> remainingMicros = session.query(
                check, row -> row.getLong(1), lease.key().getBytes(UTF_8), lease.slot(), lease.fencingToken());
        long elapsedMicros = (System.nanoTime() - sent) / 1_000;
        return !remainingMicros.isEmpty() && remainingMicros.get(0) > elapsedMicros;
    }
}
