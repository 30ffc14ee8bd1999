package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The check of strategy {@code row-lock}: puts up a barrier for each lease on the transaction's own connection, then asks
 * the leases' sessions whether they live. One that does had its gate when the barrier was up already, and a session that takes
 * that gate later must get past the barrier, so past the end of the transaction.
 *
 * @param held those of the store that acquired the leases; they pass the barrier
 */
record RowLockFence(TransactionConnection transaction, TablePrefix prefix, HeldRowLocks held) implements CommitCheck {
    @Override
    public CommitCheck pinned() {
        return new RowLockFence(transaction.pinned(), prefix, held);
    }

    @Override
    public boolean isOpen() {
        return transaction.isOpen();
    }

    @Override
    public Optional<Lease> firstLost(List<Lease> leases) {
        return transaction
                .firstRefused(leases, this::raisesBarrier)
                .or(() -> leases.stream().filter(lease -> !held.isHeld(lease)).findFirst());
    }

    private boolean raisesBarrier(Session session, Lease lease) throws SQLException {
        return session.number(RowLockSql.bar(prefix, lease.mode()), (Object) JdbcText.key(lease.key()))
                .isPresent();
    }
}
