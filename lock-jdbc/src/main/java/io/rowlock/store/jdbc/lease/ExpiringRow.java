package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.duration;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * The row of a lease as it was found, whether or not the lease still lasts: the gate of a key, which is the row of its exclusive lease, or
 * the row of a reader or a permit.
 *
 * @param holder the holder; its owner is empty if the lease was released
 * @param held from when it was acquired until it ends or has ended; zero if it was only kept for a minimum, so that its holder did not die
 * @param slot zero for the gate
 * @param permits how many permits there may be with it; zero if it is none
 * @param shared of a gate: whether the key has ever had readers
 * @param open whether the lease was not ended, though it may have expired
 */
record ExpiringRow(Holder holder, long token, Duration held, long slot, int permits, boolean shared, boolean open) {
    /** The columns are {@link ExpiringRowSql#row}. */
    static ExpiringRow of(ResultSet row) throws SQLException {
        Holder holder = new Holder(row.getString(1), duration(row, 2));
        return new ExpiringRow(
                holder,
                row.getLong(3),
                duration(row, 4),
                row.getLong(5),
                row.getInt(6),
                row.getBoolean(7),
                row.getBoolean(8));
    }

    /** Returns what a row of the lock table is, by its slot and permits. */
    static LockMode mode(long slot, int permits) {
        if (slot == 0) {
            return LockMode.EXCLUSIVE;
        }
        return permits > 0 ? LockMode.PERMIT : LockMode.SHARED;
    }

    boolean isLive() {
        return holder.remaining().compareTo(Duration.ZERO) > 0;
    }

    /** Returns what it was, if it expired and its holder never released it. */
    Optional<ExpiredLease> expired(String key) {
        boolean missed = !isLive() && !holder.owner().isEmpty() && !held.isZero();
        Duration lasted = held.isNegative() ? Duration.ZERO : held;
        return missed
                ? Optional.of(
                        new ExpiredLease(new Lease(key, mode(slot, permits), slot, token, holder.owner()), lasted))
                : Optional.empty();
    }
}
