package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Removes the rows that strategies {@code row-lock} and {@code transaction} lock, some days after they were created. A key
 * that is in use just then is skipped; one that is used again gets its rows again.
 *
 * <p>The statements that lock run in one READ COMMITTED transaction for each key, name a single row by primary key and never wait, so
 * a row that is in use stays. A statement that waits for a row while it is removed returns no row, which counts as no lock: a
 * waiter creates the rows again, and a commit without its barrier is refused.
 */
final class OldRowCleanUp extends WindowCleanUp {

    private static final int GATE = -2;
    private static final int BARRIER = -1;
    private static final int TRANSACTION = 0;

    /** Its parameter is a number of days. */
    private static final String IS_OLD = "created_on < UTC_DATE() - INTERVAL ? DAY";

    /** @param keepDays for how many days a row is kept at least; -1 to remove all that are not in use */
    OldRowCleanUp(LockDatabase database, TablePrefix prefix, int keepDays) {
        super(
                database,
                prefix.of(Table.ROW),
                "slot, 0",
                "slot IN (%s, %s) AND %s".formatted(BARRIER, TRANSACTION, IS_OLD),
                keepDays);
    }

    /** Rows have a date, so a part of a day counts as one. */
    static int days(Duration keep) {
        return Math.toIntExact(Math.max(1, keep.plusDays(1).minusNanos(1).toDays()));
    }

    /** The gate first, as everywhere: while it is locked, no session has the key, waits for its barrier or creates its rows. */
    @Override
    int remove(Session session, Row row) throws SQLException {
        byte[] key = row.keyBytes();
        boolean barrier = row.slot() == BARRIER;
        return session.inTransaction(transaction -> {
            if ((barrier && transaction.number(lock(GATE, ""), (Object) key).isEmpty())
                    || transaction
                            .number(lock(row.slot(), " AND " + IS_OLD), key, limits[0])
                            .isEmpty()) {
                return 0;
            }
            int removed = transaction.update(delete(row.slot()), (Object) key);
            return barrier ? transaction.update(delete(GATE), (Object) key) : removed;
        });
    }

    /** Locks the row. While a barrier is locked, no transaction is between its check and its commit. */
    private String lock(long slot, String condition) {
        return "SELECT slot FROM %s WHERE lock_key = ? AND slot = %s%s FOR UPDATE NOWAIT"
                .formatted(table, slot, condition);
    }

    /** Locks the row, again. */
    private String delete(long slot) {
        return "DELETE FROM %s WHERE lock_key = ? AND slot = %s".formatted(table, slot);
    }
}
