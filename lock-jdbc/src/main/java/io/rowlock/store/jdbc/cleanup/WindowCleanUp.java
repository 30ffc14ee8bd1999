package io.rowlock.store.jdbc.cleanup;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/**
 * Goes through a table whose primary key begins with a lock key, and removes the rows that may go. The server reads the table, in windows
 * by primary key, and answers with these rows. Each is then named by its key, under the condition that it was chosen by. One that another
 * transaction has locked is left to the next round. For one thread.
 */
abstract class WindowCleanUp {
    /** The rows that the server looks at for one answer: a millisecond. */
    private static final int WINDOW = 500;

    /** As long as a key can be, and behind all others. */
    private static final byte[] LAST_KEY = HexFormat.of().parseHex("FF".repeat(255));

    final String table;

    /** The parameters of the condition of a row that may go. */
    final Object[] limits;

    private final LockDatabase database;

    /** Locks nothing. The last key of a window behind a key. */
    private final String window;

    /** Locks nothing. The rows of a window that may go. */
    private final String candidates;

    /**
     * @param columns the slot and the fence of a row, or what stands for them
     * @param mayGo the condition of a row that may go
     * @param limits its parameters
     */
    WindowCleanUp(LockDatabase database, String table, String columns, String mayGo, Object... limits) {
        this.table = table;
        this.database = database;
        this.limits = limits;
        window = "SELECT lock_key FROM %s WHERE lock_key > ? ORDER BY lock_key LIMIT 1 OFFSET %s"
                .formatted(table, WINDOW - 1);
        candidates = """
                SELECT lock_key, %s FROM %s FORCE INDEX (PRIMARY)
                WHERE lock_key > ? AND lock_key <= ? AND (%s)
                ORDER BY 1, 2""".formatted(columns, table, mayGo);
    }

    /**
     * A row that may go.
     *
     * @param key one character a byte: whatever bytes it has, they come back
     * @param slot which of the rows of the key it is
     */
    record Row(String key, long slot, long fence) {
        private static Row of(ResultSet row) throws SQLException {
            return new Row(new String(row.getBytes(1), ISO_8859_1), row.getLong(2), row.getLong(3));
        }

        byte[] keyBytes() {
            return key.getBytes(ISO_8859_1);
        }
    }

    /** @return how many rows were removed */
    final int remove() {
        int removed = 0;
        byte[] to = {};
        do {
            byte[] from = to;
            to = endOfWindow(from);
            removed += remove(candidates(from, to));
        } while (!Arrays.equals(to, LAST_KEY));
        return removed;
    }

    private byte[] endOfWindow(byte[] from) {
        return database.call(session -> session.query(window, row -> row.getBytes(1), from)).stream()
                .findFirst()
                .orElse(LAST_KEY);
    }

    private List<Row> candidates(byte[] from, byte[] to) {
        List<Object> parameters = new ArrayList<>(List.of(from, to));
        Collections.addAll(parameters, limits);
        return database.call(session -> session.query(candidates, Row::of, parameters.toArray()));
    }

    /** Removes rows one by one. @return how many */
    int remove(List<Row> found) {
        return found.stream()
                .mapToInt(row -> unlessLocked(session -> remove(session, row), 0))
                .sum();
    }

    /** Removes a row, unless it is to stay by now. @return how many rows count as removed */
    abstract int remove(Session session, Row row) throws SQLException;

    /** Leaves what another transaction has locked to the next round. */
    final <T> T unlessLocked(LockDatabase.Work<T> work, T otherwise) {
        try {
            return database.call(work);
        } catch (RowLockedException e) {
            return otherwise;
        }
    }
}
