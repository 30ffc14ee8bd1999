package io.rowlock.store.jdbc.lease;

import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The check of the strategies whose leases have a row with an expiry: locks the lease's row on the transaction's own
 * connection. An attempt to acquire the key waits for that row lock, so for the end of the transaction.
 */
record ExpiringRowFence(TransactionConnection transaction, ExpiringRowSql sql) implements CommitCheck {
    @Override
    public CommitCheck pinned() {
        return new ExpiringRowFence(transaction.pinned(), sql);
    }

    @Override
    public Set<Trait> traits() {
        return Set.of(Trait.PROTECTS_LEASE, Trait.WRITES_GRANTS);
    }

    @Override
    public boolean isSeen(Lease granted) {
        return transaction
                .call(session -> session.number(sql.granted, sql.naming.parameters(granted)))
                .isPresent();
    }

    @Override
    public boolean isHeld(Lease lease) {
        return transaction.call(session -> isHeld(session, lease));
    }

    /** The server said how long the lease lasts when it got the statement, so the time since it was sent is gone. */
    private boolean isHeld(Session session, Lease lease) throws SQLException {
        long sent = System.nanoTime();
        OptionalLong remainingMicros = session.number(sql.fence(lease.mode()), sql.naming.parameters(lease));
        long elapsedMicros = (System.nanoTime() - sent) / 1_000;
        return remainingMicros.isPresent() && remainingMicros.getAsLong() > elapsedMicros;
    }
}
