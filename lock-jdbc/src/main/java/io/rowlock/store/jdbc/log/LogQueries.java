package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.JdbcText.NOW;
import static io.rowlock.store.jdbc.JdbcText.key;

import io.rowlock.LockMode;
import io.rowlock.store.LogRow;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the lock log says of one key, and what an operator adds to it. Thread-safe. */
final class LogQueries {
    private static final int LONGEST_NOTE = 255;

    private final LockDatabase database;

    /** Locks nothing. The column's collation ignores spaces at the end of a key. */
    private final String last;

    /** Locks the new row. */
    private final String ended;

    LogQueries(LockDatabase database, TablePrefix prefix) {
        this.database = database;
        last = """
                SELECT strategy, mode, owner, fence, status, %s, %s, %s, waited_micros, note
                FROM %s
                WHERE lock_key = ? AND OCTET_LENGTH(lock_key) = ?
                ORDER BY acquired_at DESC, id DESC LIMIT ?""".formatted(micros("acquired_at"), micros("completed_at"), micros("released_at"), prefix.logTable());
        ended = """
                INSERT INTO %s (strategy, lock_key, mode, owner, fence, status, acquired_at, released_at, waited_micros, note)
                VALUES (?, ?, ?, ?, ?, 'FORCED', %2$s, %2$s, 0, ?)""".formatted(prefix.logTable(), NOW);
    }

    private static String micros(String column) {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s)".formatted(column);
    }

    /** @see io.rowlock.store.LockLog#last */
    List<LogRow> last(String key, int limit) {
        return database.callInTime(session -> session.query(last, LogQueries::row, key, key(key).length, limit));
    }

    private static LogRow row(ResultSet row) throws SQLException {
        return new LogRow(
                row.getString(1),
                LockMode.valueOf(row.getString(2)),
                row.getString(3),
                row.getLong(4),
                row.getString(5),
                Instant.EPOCH.plus(row.getLong(6), ChronoUnit.MICROS),
                timeOrNull(row, 7),
                timeOrNull(row, 8),
                Duration.of(row.getLong(9), ChronoUnit.MICROS),
                row.getString(10));
    }

    private static @Nullable Instant timeOrNull(ResultSet row, int column) throws SQLException {
        long micros = row.getLong(column);
        return row.wasNull() ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** @see io.rowlock.store.LockLog#ended */
    void ended(String strategy, LiveLock lock, String note) {
        Long fence = lock.fence();
        int unused = database.callInTime(session -> session.update(
                ended,
                strategy,
                lock.key(),
                lock.mode().name(),
                lock.owner(),
                fence == null ? 0L : fence,
                note.length() <= LONGEST_NOTE ? note : note.substring(0, LONGEST_NOTE)));
    }
}
