package io.rowlock.store.jdbc.fence;

import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Removes the rows of keys of which no token was noted for a long time. What could still be refused by such a row is a holder
 * that was overtaken so long ago, which its process's own clock refuses as well. A row that a transaction has locked is skipped, and
 * whether it is idle is decided once more under its row lock, so that no token is lost that has just been noted. Thread-safe.
 */
public final class IdleFenceCleanUp {
    private static final int PAGE = 500;

    /** However short a row is to be kept: a process may be paused for a while. */
    private static final Duration SHORTEST = Duration.ofDays(1);

    private final LockDatabase database;
    private final FenceSql sql;
    private final long keepMicros;

    /** @param keepIdle how long the row of an unused key is kept; a day at least */
    public IdleFenceCleanUp(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        this.database = database;
        this.sql = new FenceSql(prefix);
        this.keepMicros = micros(keepIdle.compareTo(SHORTEST) < 0 ? SHORTEST : keepIdle);
    }

    /** @return how many rows were removed */
    public int removeIdle() {
        int removed = 0;
        byte[] last = new byte[0];
        List<Row> page = page(last);
        while (!page.isEmpty()) {
            for (Row row : page) {
                removed += row.idle() ? removed(row.keyBytes()) : 0;
            }
            last = page.get(page.size() - 1).keyBytes();
            page = page.size() < PAGE ? List.of() : page(last);
        }
        return removed;
    }

    private List<Row> page(byte[] behind) {
        return database.call(session -> session.query(sql.page, Row::of, keepMicros, behind, PAGE));
    }

    private int removed(byte[] key) {
        try {
            return database.call(session -> session.inTransaction(transaction -> remove(transaction, key)));
        } catch (RowLockedException inUse) {
            return 0;
        }
    }

    private int remove(Session transaction, byte[] key) throws SQLException {
        return transaction
                        .query(sql.lockIdle, row -> row.getLong(1), key, keepMicros)
                        .isEmpty()
                ? 0
                : transaction.update(sql.delete, (Object) key);
    }

    /** Its key is one character a byte: whatever bytes it has, they come back. */
    private record Row(String key, boolean idle) {
        static Row of(ResultSet row) throws SQLException {
            return new Row(new String(row.getBytes(1), ISO_8859_1), row.getBoolean(2));
        }

        byte[] keyBytes() {
            return key.getBytes(ISO_8859_1);
        }
    }
}
