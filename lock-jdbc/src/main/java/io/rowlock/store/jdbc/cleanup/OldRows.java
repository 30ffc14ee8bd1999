package io.rowlock.store.jdbc.cleanup;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Goes through a table page by page, in the order of its primary key, and removes rows that are old one by one. A row that another
 * transaction has locked is skipped, and whether a row is old is decided once more under its row lock. For one thread at a time.
 */
abstract class OldRows {
    private static final int PAGE = 500;

    private final LockDatabase database;

    OldRows(LockDatabase database) {
        this.database = database;
    }

    /**
     * A row of a page.
     *
     * @param key one character a byte: whatever bytes it has, they come back
     * @param slot which of the rows of the key it is; 0 if there is one
     * @param old true if it may go, as far as is seen without a lock
     */
    record Row(String key, long slot, boolean old) {
        byte[] keyBytes() {
            return key.getBytes(ISO_8859_1);
        }
    }

    /** Reads the page behind a row, with columns as those of a {@link Row}. Locks nothing. */
    abstract List<Row> page(Session session, Row last, int most) throws SQLException;

    /** Removes a row, unless it is no longer old by now. @return how many rows count as removed */
    abstract int remove(Session session, byte[] key, long slot) throws SQLException;

    static Row row(ResultSet row) throws SQLException {
        return new Row(new String(row.getBytes(1), ISO_8859_1), row.getLong(2), row.getBoolean(3));
    }

    /** @return how many were removed */
    final int remove() {
        int removed = 0;
        List<Row> page = page(new Row("", Long.MIN_VALUE, false));
        while (!page.isEmpty()) {
            for (Row row : page) {
                removed += row.old() ? removed(row) : 0;
            }
            page = page.size() < PAGE ? List.of() : page(page.get(page.size() - 1));
        }
        return removed;
    }

    private List<Row> page(Row last) {
        return database.call(session -> page(session, last, PAGE));
    }

    private int removed(Row row) {
        try {
            return database.call(session -> remove(session, row.keyBytes(), row.slot()));
        } catch (RowLockedException inUse) {
            return 0;
        }
    }
}
