package io.rowlock.store.jdbc.lease;

import io.rowlock.LockMode;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** The row of a reader or a permit, or of the gate, as it was found. */
record InsideRow(ExpiringRow row, long slot, LockMode mode) {
    /** The columns are those of {@link ExpiringRow}, then slot and permits. */
    static InsideRow of(ResultSet row) throws SQLException {
        long slot = row.getLong(5);
        return new InsideRow(ExpiringRow.of(row), slot, mode(slot, row.getInt(6)));
    }

    /** Returns what a row of the lock table is, by its slot and permits. */
    static LockMode mode(long slot, int permits) {
        if (slot == 0) {
            return LockMode.EXCLUSIVE;
        }
        return permits > 0 ? LockMode.PERMIT : LockMode.SHARED;
    }

    boolean isLive() {
        return row.isLive();
    }

    Holder holder() {
        return row.holder();
    }

    Optional<ExpiredLease> expired(String key) {
        return row.expired(key, mode, slot);
    }
}
