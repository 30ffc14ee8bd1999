package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
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

    private final int keepDays;

    /** Locks the row of strategy {@code transaction}, if it is old still. */
    private final String lockOldRow = lock(table, TRANSACTION, " AND " + IS_OLD);

    /** Locks the gate. While it is locked, no session has the key, waits for its barrier or creates its rows. */
    private final String lockGate = lock(table, GATE, "");

    /** Locks the barrier, if it is old still. No transaction is between its check and its commit then. */
    private final String lockOldBarrier = lock(table, BARRIER, " AND " + IS_OLD);

    /** Locks the row, again. */
    private final String deleteRow = delete(table, TRANSACTION);

    /** Locks the barrier, again. */
    private final String deleteBarrier = delete(table, BARRIER);

    /** Locks the gate, again. */
    private final String deleteGate = delete(table, GATE);

    /** @param keep how long a row is kept at least: whole days, at least one */
    OldRowCleanUp(LockDatabase database, TablePrefix prefix, Duration keep) {
        this(database, prefix, days(keep));
    }

    /** @param keepDays -1 to remove all that are not in use */
    OldRowCleanUp(LockDatabase database, TablePrefix prefix, int keepDays) {
        super(
                database,
                prefix.rowTable(),
                "slot, 0",
                "slot IN (%d, %d) AND %s".formatted(BARRIER, TRANSACTION, IS_OLD),
                keepDays);
        this.keepDays = keepDays;
    }

    private static String lock(String table, int slot, String condition) {
        return "SELECT slot FROM %s WHERE lock_key = ? AND slot = %d%s FOR UPDATE NOWAIT"
                .formatted(table, slot, condition);
    }

    private static String delete(String table, int slot) {
        return "DELETE FROM %s WHERE lock_key = ? AND slot = %d".formatted(table, slot);
    }

    /** Rows have a date, so a part of a day counts as one. */
    static int days(Duration keep) {
        return Math.toIntExact(Math.max(1, keep.plusDays(1).minusNanos(1).toDays()));
    }

    @Override
    int remove(Session session, Row row) throws SQLException {
        return session.inTransaction(transaction -> row.slot() == BARRIER
                ? removeGate(transaction, row.keyBytes())
                : removeRow(transaction, row.keyBytes()));
    }

    private int removeRow(Session transaction, byte[] key) throws SQLException {
        return isLocked(transaction, lockOldRow, key, keepDays) ? transaction.update(deleteRow, (Object) key) : 0;
    }

    /** The gate first, as everywhere. */
    private int removeGate(Session transaction, byte[] key) throws SQLException {
        if (!isLocked(transaction, lockGate, key) || !isLocked(transaction, lockOldBarrier, key, keepDays)) {
            return 0;
        }
        transaction.update(deleteBarrier, (Object) key);
        return transaction.update(deleteGate, (Object) key);
    }

    private static boolean isLocked(Session transaction, String lock, Object... parameters) throws SQLException {
        return !transaction.query(lock, row -> row.getInt(1), parameters).isEmpty();
    }
}
