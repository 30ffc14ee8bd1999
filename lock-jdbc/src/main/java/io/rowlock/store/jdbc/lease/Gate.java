package io.rowlock.store.jdbc.lease;

import io.rowlock.store.inspection.Holder;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.util.Optional;

/**
 * The gate of a key, as it was found: the row of its exclusive lease.
 *
 * @param shared whether the key has ever had readers
 * @param open whether its last lease was not ended, though it may have expired
 */
record Gate(ExpiringRow row, boolean shared, boolean open) {
    static Optional<Gate> find(Session session, LeaseSql sql, byte[] key) throws SQLException {
        return session
                .query(sql.gate, row -> new Gate(ExpiringRow.of(row), row.getBoolean(5), row.getBoolean(6)), (Object)
                        key)
                .stream()
                .findFirst();
    }

    /**
     * Creates the gate, unless it exists. Not in the transaction that takes it: a duplicate leaves the row share-locked, and two
     * would deadlock.
     */
    static void create(Session session, LeaseSql sql, byte[] key, boolean shared) throws SQLException {
        try {
            session.update(sql.createGate, key, shared ? 1 : 0);
        } catch (SQLException e) {
            if (SqlFailure.of(e) != SqlFailure.DUPLICATE) {
                throw e;
            }
        }
    }

    boolean isTaken() {
        return row.isLive();
    }

    Holder holder() {
        return row.holder();
    }
}
