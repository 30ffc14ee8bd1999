package io.rowlock.store.jdbc.rowlock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.RowLockedException;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Removes the rows that strategies {@code row-lock} and {@code transaction} lock, some days after they were created. A key
 * that is in use just then is skipped; one that is used again gets its rows again. Thread-safe.
 */
public final class OldRowCleanUp {
    private static final int PAGE = 500;

    private final LockDatabase database;
    private final OldRowSql sql;
    private final int keepDays;

    /** @param keep how long a row is kept at least: whole days, at least one */
    public OldRowCleanUp(LockDatabase database, TablePrefix prefix, Duration keep) {
        this(database, prefix, days(keep));
    }

    /** @param keepDays -1 to remove all that are not in use */
    OldRowCleanUp(LockDatabase database, TablePrefix prefix, int keepDays) {
        this.database = database;
        this.sql = new OldRowSql(prefix);
        this.keepDays = keepDays;
    }

    /** Rows have a date, so a part of a day counts as one. */
    static int days(Duration keep) {
        return Math.toIntExact(Math.max(1, keep.plusDays(1).minusNanos(1).toDays()));
    }

    /** @return of how many keys the rows of a strategy were removed */
    public int removeOld() {
        int removed = 0;
        byte[] key = new byte[0];
        long slot = Long.MIN_VALUE;
        List<Row> page = page(key, slot);
        while (!page.isEmpty()) {
            for (Row row : page) {
                removed += row.old() ? removed(row) : 0;
            }
            Row last = page.get(page.size() - 1);
            page = page.size() < PAGE ? List.of() : page(last.keyBytes(), last.slot());
        }
        return removed;
    }

    private List<Row> page(byte[] key, long slot) {
        return database.call(session -> session.query(sql.page, Row::of, keepDays, key, key, slot, PAGE));
    }

    private int removed(Row row) {
        byte[] key = row.keyBytes();
        try {
            return database.call(session -> session.inTransaction(transaction ->
                    OldRowSql.isBarrier(row.slot()) ? removeGate(transaction, key) : removeRow(transaction, key)));
        } catch (RowLockedException inUse) {
            return 0;
        }
    }

    private int removeRow(Session transaction, byte[] key) throws SQLException {
        return isLocked(transaction, sql.lockOldRow, key, keepDays)
                ? transaction.update(sql.deleteRow, (Object) key)
                : 0;
    }

    /** The gate first, as everywhere. */
    private int removeGate(Session transaction, byte[] key) throws SQLException {
        if (!isLocked(transaction, sql.lockGate, key) || !isLocked(transaction, sql.lockOldBarrier, key, keepDays)) {
            return 0;
        }
        transaction.update(sql.deleteBarrier, (Object) key);
        return transaction.update(sql.deleteGate, (Object) key);
    }

    private static boolean isLocked(Session transaction, String lock, Object... parameters) throws SQLException {
        return !transaction.query(lock, row -> row.getInt(1), parameters).isEmpty();
    }

    /** Its key is one character a byte: whatever bytes it has, they come back. */
    private record Row(String key, long slot, boolean old) {
        static Row of(ResultSet row) throws SQLException {
            return new Row(new String(row.getBytes(1), ISO_8859_1), row.getLong(2), row.getBoolean(3));
        }

        byte[] keyBytes() {
            return key.getBytes(ISO_8859_1);
        }
    }
}
