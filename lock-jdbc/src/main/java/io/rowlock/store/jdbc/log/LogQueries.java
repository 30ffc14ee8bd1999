package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.duration;
import static io.rowlock.store.jdbc.session.JdbcText.instant;
import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.LockMode;
import io.rowlock.store.LockLog.LogFilter;
import io.rowlock.store.LockLog.LogRow;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** Reads past grants from the lock log, and adds what an operator does. Thread-safe. */
final class LogQueries {
    private static final int LONGEST_NOTE = 255;

    /** A point in time, whatever the session's time zone is. */
    private static final String TIME = "'1970-01-01' + INTERVAL ? MICROSECOND";

    /** Grants from before then that lasted until then. */
    private static final String HELD_SINCE_BEFORE =
            "acquired_at < %1$s AND (released_at >= %1$s OR released_at IS NULL)".formatted(TIME);

    /** Keeps the server from taking the index on the age of grants, by which it would read all before. */
    private static final String ANY_ORDER = "acquired_at + INTERVAL 0 MICROSECOND";

    private final LockDatabase database;

    /** Is in the keys of applications with a prefix, and in no other. */
    private static final String PREFIX_END = "\u001f";

    /** Locks nothing. */
    private final String all;

    /** Locks the new row. */
    private final String ended;

    LogQueries(LockDatabase database, TablePrefix prefix) {
        this.database = database;
        all = """
                SELECT lock_key, strategy, mode, owner, fence, status, %s, %s, %s, waited_micros, note
                FROM %s WHERE TRUE""".formatted(
                micros("acquired_at"), micros("completed_at"), micros("released_at"), prefix.of(Table.LOCK_LOG));
        ended = """
                INSERT INTO %s (strategy, lock_key, mode, owner, fence, status, acquired_at, released_at, waited_micros, note)
                VALUES (?, ?, ?, ?, ?, 'FORCED', %2$s, %2$s, 0, ?)""".formatted(prefix.of(Table.LOCK_LOG), NOW);
    }

    private static String micros(String column) {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s)".formatted(column);
    }

    /** @see io.rowlock.store.LockLog#find */
    List<LogRow> find(LogFilter filter) {
        Instant from = filter.from();
        return database.callInTime(session -> {
            if (from == null) {
                return rows(session, filter, filter.limit(), "acquired_at", "TRUE");
            }
            List<LogRow> found =
                    rows(session, filter, filter.limit(), "acquired_at", "acquired_at >= " + TIME, micros(from));
            int left = filter.limit() - found.size();
            if (left > 0) {
                found.addAll(rows(session, filter, left, ANY_ORDER, HELD_SINCE_BEFORE, micros(from), micros(from)));
            }
            return found;
        });
    }

    private List<LogRow> rows(
            Session session, LogFilter filter, int limit, String order, String condition, Object... times)
            throws SQLException {
        StringBuilder sql = new StringBuilder(all);
        List<Object> values = new ArrayList<>();
        restrict(sql, values, filter);
        restrict(sql, values, condition, times);
        values.add(limit);
        sql.append(" ORDER BY %s DESC, id DESC LIMIT ?".formatted(order));
        return session.query(sql.toString(), LogQueries::row, values.toArray());
    }

    private static void restrict(StringBuilder sql, List<Object> values, LogFilter filter) {
        if (filter.prefix().isEmpty()) {
            restrict(sql, values, "INSTR(lock_key, ?) = 0", PREFIX_END);
        } else {
            restrict(sql, values, "lock_key LIKE ? ESCAPE '|'", filter.prefix().replaceAll("[|%_]", "|$0") + '%');
        }
        if (filter.key() != null) {
            // the column's collation ignores spaces at the end of a key
            restrict(
                    sql, values, "lock_key = ? AND OCTET_LENGTH(lock_key) = ?", filter.key(), key(filter.key()).length);
        }
        if (filter.owner() != null) {
            restrict(sql, values, "owner = ?", filter.owner());
        }
        if (filter.to() != null) {
            restrict(sql, values, "acquired_at < " + TIME, micros(filter.to()));
        }
    }

    private static void restrict(StringBuilder sql, List<Object> values, String condition, Object... parameters) {
        sql.append(" AND ").append(condition);
        Collections.addAll(values, parameters);
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static LogRow row(ResultSet row) throws SQLException {
        return new LogRow(
                row.getString(1),
                row.getString(2),
                LockMode.valueOf(row.getString(3)),
                row.getString(4),
                row.getLong(5),
                row.getString(6),
                Objects.requireNonNull(instant(row, 7)),
                instant(row, 8),
                instant(row, 9),
                duration(row, 10),
                row.getString(11));
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
