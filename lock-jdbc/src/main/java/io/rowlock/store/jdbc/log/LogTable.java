package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.duration;
import static io.rowlock.store.jdbc.session.JdbcText.instant;
import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static io.rowlock.store.jdbc.session.JdbcText.rows;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog.LogFilter;
import io.rowlock.store.LockLog.LogRow;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.log.LogEntry.Grant;
import io.rowlock.store.jdbc.log.LogEntry.Row;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;

/** The lock log's rows, written several with one statement, and read. Times are the server's less how long ago it was. Thread-safe. */
final class LogTable {
    private static final String NEW_ROW =
            "(?, ?, ?, ?, ?, ?, %1$s - INTERVAL ? MICROSECOND, %1$s - INTERVAL ? MICROSECOND, %1$s - INTERVAL ? MICROSECOND, ?)"
                    .formatted(NOW);
    private static final String CHANGED_ROW =
            "SELECT CAST(? AS SIGNED) AS id, CAST(? AS SIGNED) AS fence, CAST(? AS CHAR(9)) AS status,"
                    + " CAST(? AS SIGNED) AS completed_ago, CAST(? AS SIGNED) AS released_ago";

    /** The text of a statement for so many rows is one that drivers keep prepared. */
    static final int LARGEST_PIECE = 64;

    private static final int LONGEST_NOTE = 255;

    /** A point in time, whatever the session's time zone is. */
    private static final String TIME = "'1970-01-01' + INTERVAL ? MICROSECOND";

    /** Grants from before then that lasted until then. */
    private static final String HELD_SINCE_BEFORE =
            "acquired_at < %1$s AND (released_at >= %1$s OR released_at IS NULL)".formatted(TIME);

    /** Keeps the server from taking the index on the age of grants, by which it would read all before. */
    private static final String ANY_ORDER = "acquired_at + INTERVAL 0 MICROSECOND";

    /** Is in the keys of applications with a prefix, and in no other. */
    private static final String PREFIX_END = "\u001f";

    /** Marks leases that expired. */
    final LogCleanUp expired;

    private final LockDatabase database;
    private final String table;

    /** Locks nothing. */
    private final String all;

    /** Locks the new row. */
    private final String ended;

    /** Locks the new rows. */
    private final IntFunction<String> inserts;

    /**
     * Locks the changed rows and no other, in the order of their ids: the join order is said, since in a small table the
     * optimizer would rather read all rows, and wait for those that others have locked. A row with another token is another grant's. A
     * row that retention has removed meanwhile is not brought back. Nor is one opened again that others have marked EXPIRED; only how
     * it ended by the word of its own process replaces that. A statement can take longer to arrive than the one before it, which
     * shifts what it counts back from; no time is set before those that the row has already.
     */
    private final IntFunction<String> updates;

    LogTable(LockDatabase database, TablePrefix prefix) {
        this.database = database;
        this.table = prefix.of(Table.LOCK_LOG);
        this.expired = new LogCleanUp(database, prefix, Duration.ZERO, Duration.ZERO);
        all = """
                SELECT lock_key, strategy, mode, owner, fence, status, %s, %s, %s, waited_micros, note
                FROM %s WHERE TRUE""".formatted(sinceEpoch("acquired_at"), sinceEpoch("completed_at"), sinceEpoch("released_at"), table);
        ended = """
                INSERT INTO %s (strategy, lock_key, mode, owner, fence, status, acquired_at, released_at, waited_micros, note)
                VALUES (?, ?, ?, ?, ?, 'FORCED', %2$s, %2$s, 0, ?)""".formatted(table, NOW);
        inserts = size -> "INSERT INTO " + table
                + " (strategy, lock_key, mode, owner, fence, status, acquired_at, completed_at, released_at, waited_micros) VALUES "
                + String.join(", ", Collections.nCopies(size, NEW_ROW));
        updates = size -> "UPDATE ("
                + rows(size, CHANGED_ROW)
                + ") n STRAIGHT_JOIN " + table + " l ON l.id = n.id AND l.fence = n.fence SET"
                + " l.status = IF(l.status = 'EXPIRED' AND n.status IN ('HELD', 'COMPLETED'), l.status, n.status),"
                + " l.released_at = COALESCE(GREATEST(" + NOW + " - INTERVAL n.released_ago MICROSECOND,"
                + " COALESCE(l.completed_at, l.acquired_at)), l.released_at),"
                + " l.completed_at = COALESCE(GREATEST(" + NOW + " - INTERVAL n.completed_ago MICROSECOND,"
                + " COALESCE(l.completed_at, l.acquired_at)), l.completed_at)";
    }

    /** Writes rows: those that are new are inserted in their order, the others changed in the order of their ids. */
    void write(List<Row> rows) {
        List<Row> sorted =
                rows.stream().sorted(Comparator.comparingLong(Row::id)).toList();
        int added = (int) sorted.stream().takeWhile(row -> row.id() == 0).count();
        List<Row> fresh = sorted.subList(0, added);
        List<Row> changed = sorted.subList(added, sorted.size());
        List<Long> ids = database.call(session -> session.inTransaction(transaction -> {
            List<Long> inserted = new ArrayList<>();
            for (List<Row> piece : pieces(fresh)) {
                inserted.addAll(insert(transaction, piece));
            }
            for (List<Row> piece : pieces(changed)) {
                update(transaction, piece);
            }
            return inserted;
        }));
        for (int i = 0; i < ids.size(); i++) {
            fresh.get(i).source().written(ids.get(i));
        }
        changed.forEach(row -> row.source().written(row.id()));
    }

    /** The rows in pieces of few sizes, each of which is a statement that the driver prepares once: below eight, of eights, and the largest. */
    private static List<List<Row>> pieces(List<Row> rows) {
        List<List<Row>> pieces = new ArrayList<>();
        for (int from = 0, to; from < rows.size(); from = to) {
            int left = rows.size() - from;
            to = from + (left - 1) % (left % 8 > 0 ? 8 : LARGEST_PIECE) + 1;
            pieces.add(rows.subList(from, to));
        }
        return pieces;
    }

    /**
     * Inserts a piece. Ids of rows that may change are read by the transaction itself: of several rows a driver returns one generated
     * key, or counts on from it by a step that it learned earlier. No other id is between theirs: as the number of rows is known ahead of
     * time ("simple inserts" in "AUTO_INCREMENT Handling in InnoDB" of the manual), they have no gaps in any innodb_autoinc_lock_mode.
     *
     * @return their ids, which count once the transaction has committed; zeros if no row may change
     */
    private List<Long> insert(Session session, List<Row> rows) throws SQLException {
        List<Object> values = new ArrayList<>(rows.size() * 10);
        for (Row row : rows) {
            Grant of = row.source().grant;
            Lease lease = of.lease();
            Collections.addAll(values, of.strategy(), lease.key(), lease.mode().name());
            Collections.addAll(values, lease.owner(), of.token(), row.status().name());
            Collections.addAll(values, row.grantedAgo(), row.completedAgo(), row.endedAgo());
            values.add(micros(of.waited()));
        }
        if (rows.stream().noneMatch(Row::mayChange)) {
            session.update(inserts.apply(rows.size()), values.toArray());
            return Collections.nCopies(rows.size(), 0L);
        }
        long first = session.updateReturning(inserts.apply(rows.size()), values.toArray())
                .orElseThrow();
        if (rows.size() == 1) {
            return List.of(first);
        }
        List<Long> ids =
                session.numbers("SELECT id FROM " + table + " WHERE id >= ? ORDER BY id LIMIT ?", first, rows.size());
        if (ids.size() < rows.size()) {
            throw new SQLException("Of %d new rows of the lock log %d are there".formatted(rows.size(), ids.size()));
        }
        return ids;
    }

    private void update(Session session, List<Row> rows) throws SQLException {
        List<Object> values = new ArrayList<>();
        for (Row row : rows) {
            Collections.addAll(
                    values, row.id(), row.source().grant.token(), row.status().name());
            Collections.addAll(values, row.completedAgo(), row.endedAgo());
        }
        session.update(updates.apply(rows.size()), values.toArray());
    }

    // ---- what an operator asks, and does

    private static String sinceEpoch(String column) {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s)".formatted(column);
    }

    /** @see io.rowlock.store.LockLog#find */
    List<LogRow> find(LogFilter filter) {
        Instant from = filter.from();
        return database.callInTime(session -> {
            if (from == null) {
                return page(session, filter, filter.limit(), "acquired_at", "TRUE");
            }
            List<LogRow> found =
                    page(session, filter, filter.limit(), "acquired_at", "acquired_at >= " + TIME, sinceEpoch(from));
            int left = filter.limit() - found.size();
            if (left > 0) {
                found.addAll(
                        page(session, filter, left, ANY_ORDER, HELD_SINCE_BEFORE, sinceEpoch(from), sinceEpoch(from)));
            }
            return found;
        });
    }

    private List<LogRow> page(
            Session session, LogFilter filter, int limit, String order, String condition, Object... times)
            throws SQLException {
        StringBuilder sql = new StringBuilder(all);
        List<Object> values = new ArrayList<>();
        restrict(sql, values, filter);
        restrict(sql, values, condition, times);
        values.add(limit);
        sql.append(" ORDER BY %s DESC, id DESC LIMIT ?".formatted(order));
        return session.query(sql.toString(), row -> row(row, filter.prefix()), values.toArray());
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
            restrict(sql, values, "acquired_at < " + TIME, sinceEpoch(filter.to()));
        }
    }

    private static void restrict(StringBuilder sql, List<Object> values, String condition, Object... parameters) {
        sql.append(" AND ").append(condition);
        Collections.addAll(values, parameters);
    }

    private static long sinceEpoch(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static LogRow row(ResultSet row, String prefix) throws SQLException {
        return new LogRow(
                row.getString(1).substring(prefix.length()),
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
        int unused = database.callInTime(session -> session.update(
                ended,
                strategy,
                lock.key(),
                lock.mode().name(),
                lock.owner(),
                Objects.requireNonNullElse(lock.fence(), 0L),
                note.length() <= LONGEST_NOTE ? note : note.substring(0, LONGEST_NOTE)));
    }
}
