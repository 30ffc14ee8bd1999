package io.rowlock.store.jdbc.lease;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.ExpiredLease;
import io.rowlock.store.inspection.StoreInspection.Holder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The row of a lease as it was found, whether or not the lease still lasts.
 *
 * @param holder the holder; its owner is empty if the lease was released
 * @param held from when it was acquired until it ends or has ended; zero if it was only kept for a minimum, so that its holder did not die
 */
record ExpiringRow(Holder holder, long token, Duration held) {
    /** The columns are owner, microseconds left, token and microseconds from acquired to expired. */
    static ExpiringRow of(ResultSet row) throws SQLException {
        return new ExpiringRow(new Holder(row.getString(1), micros(row, 2)), row.getLong(3), micros(row, 4));
    }

    private static Duration micros(ResultSet row, int column) throws SQLException {
        return Duration.of(row.getLong(column), ChronoUnit.MICROS);
    }

    boolean isLive() {
        return holder.remaining().compareTo(Duration.ZERO) > 0;
    }

    /** Returns what it was, if it expired and its holder never released it. */
    Optional<ExpiredLease> expired(String key, LockMode mode, long slot) {
        boolean missed = !isLive() && !holder.owner().isEmpty() && !held.isZero();
        Duration lasted = held.isNegative() ? Duration.ZERO : held;
        return missed
                ? Optional.of(new ExpiredLease(new Lease(key, mode, slot, token, holder.owner()), lasted))
                : Optional.empty();
    }
}
