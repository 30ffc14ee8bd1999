package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.LeaseRequest;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

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
     * Creates the gate, open to readers, unless it exists. Not in the transaction that acquires it: a duplicate leaves the row
     * share-locked, and two would deadlock.
     */
    static void create(Session session, LeaseSql sql, byte[] key) throws SQLException {
        try {
            session.update(sql.createGate, (Object) key);
        } catch (SQLException e) {
            requireDuplicate(e);
        }
    }

    /** Creates the gate acquired. @return the answer of the statement; empty if another attempt has created it meanwhile */
    static OptionalLong createAcquired(Session session, LeaseSql sql, byte[] key, LeaseRequest request)
            throws SQLException {
        try {
            return session.updateReturning(
                    sql.createAcquired, key, request.owner(), request.nonce(), micros(request.ttl()));
        } catch (SQLException e) {
            requireDuplicate(e);
            return OptionalLong.empty();
        }
    }

    private static void requireDuplicate(SQLException error) throws SQLException {
        if (SqlFailure.of(error) != SqlFailure.DUPLICATE) {
            throw error;
        }
    }

    boolean isTaken() {
        return row.isLive();
    }

    Holder holder() {
        return row.holder();
    }
}
