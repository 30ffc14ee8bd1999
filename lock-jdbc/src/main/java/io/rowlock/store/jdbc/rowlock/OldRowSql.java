package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.jdbc.TablePrefix;

/**
 * The statements that remove the rows of old keys. Those that lock run in one READ COMMITTED transaction for each key, name a
 * single row by primary key and never wait, so a row that is in use stays.
 *
 * <p>A statement that waits for a row while it is removed returns no row, which counts as no lock: a waiter creates the rows
 * again, and a commit without its barrier is refused.
 */
final class OldRowSql {
    private static final int GATE = -2;
    private static final int BARRIER = -1;
    private static final int TRANSACTION = 0;

    /** Its parameter is a number of days. */
    private static final String IS_OLD = "created_on < UTC_DATE() - INTERVAL ? DAY";

    /** Locks nothing. A page of rows behind one, and whether each is old. */
    final String page;

    /** Locks the row of strategy {@code transaction}, if it is old still. */
    final String lockOldRow;

    /** Locks the gate. While it is locked, no session has the key, waits for its barrier or creates its rows. */
    final String lockGate;

    /** Locks the barrier, if it is old still. No transaction is between its check and its commit then. */
    final String lockOldBarrier;

    /** Locks the row, again. */
    final String deleteRow;

    /** Locks the barrier, again. */
    final String deleteBarrier;

    /** Locks the gate, again. */
    final String deleteGate;

    OldRowSql(TablePrefix prefix) {
        String table = prefix.rowTable();
        page = """
                SELECT lock_key, slot, slot IN (%1$d, %2$d) AND %3$s AS old
                FROM %4$s
                WHERE lock_key > ? OR (lock_key = ? AND slot > ?)
                ORDER BY lock_key, slot LIMIT ?""".formatted(BARRIER, TRANSACTION, IS_OLD, table);
        lockOldRow = lock(table, TRANSACTION, " AND " + IS_OLD);
        lockGate = lock(table, GATE, "");
        lockOldBarrier = lock(table, BARRIER, " AND " + IS_OLD);
        deleteRow = delete(table, TRANSACTION);
        deleteBarrier = delete(table, BARRIER);
        deleteGate = delete(table, GATE);
    }

    private static String lock(String table, int slot, String condition) {
        return "SELECT slot FROM %s WHERE lock_key = ? AND slot = %d%s FOR UPDATE NOWAIT"
                .formatted(table, slot, condition);
    }

    private static String delete(String table, int slot) {
        return "DELETE FROM %s WHERE lock_key = ? AND slot = %d".formatted(table, slot);
    }

    static boolean isBarrier(long slot) {
        return slot == BARRIER;
    }
}
