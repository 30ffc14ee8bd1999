package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TransactionConnection;

/**
 * The check of strategy {@code row-lock}: puts up a barrier for the lease on the transaction's own connection, then asks
 * the lease's session whether it lives. One that does had its gate when the barrier was up already, and a session that locks
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
    public boolean isHeld(Lease lease) {
        return transaction
                        .call(session -> session.number(
                                RowLockSql.bar(prefix, lease.mode()), (Object) JdbcText.key(lease.key())))
                        .isPresent()
                && held.isHeld(lease);
    }
}
