package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static io.rowlock.store.jdbc.session.JdbcText.rows;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The lock log's rows, written several with one statement. Times are the server's less how long ago it was. */
final class LogTable {
    private static final String NEW_ROW =
            "(?, ?, ?, ?, ?, ?, %1$s - INTERVAL ? MICROSECOND, %1$s - INTERVAL ? MICROSECOND, %1$s - INTERVAL ? MICROSECOND, ?)"
                    .formatted(NOW);
    private static final String CHANGED_ROW = "SELECT CAST(? AS SIGNED) AS id, CAST(? AS CHAR(9)) AS status,"
            + " CAST(? AS SIGNED) AS completed_ago, CAST(? AS SIGNED) AS released_ago";

    /** The text of a statement for so many rows is one that drivers keep prepared. */
    private static final int LARGEST_PIECE = 64;

    /** The history of one key, for an operator. */
    final LogQueries history;

    /** Marks leases that expired. */
    final LogCleanUp expired;

    private final LockDatabase database;
    private final String table;

    LogTable(LockDatabase database, TablePrefix prefix) {
        this.database = database;
        this.table = prefix.of(Table.LOCK_LOG);
        this.history = new LogQueries(database, prefix);
        this.expired = new LogCleanUp(database, prefix, Duration.ZERO, Duration.ZERO);
    }

    /** Writes rows: those that are new are inserted, the others changed in the order of their ids. */
    void write(List<LogEntry.Row> rows) {
        LockDatabase.inHalves(rows, together -> {
            List<LogEntry.Row> fresh =
                    together.stream().filter(LogEntry.Row::isNew).toList();
            List<LogEntry.Row> changed = together.stream()
                    .filter(row -> !row.isNew())
                    .sorted(Comparator.comparingLong(LogEntry.Row::id))
                    .toList();
            List<Long> ids = database.call(session -> session.inTransaction(transaction -> {
                List<Long> inserted = new ArrayList<>();
                for (List<LogEntry.Row> piece : pieces(fresh)) {
                    inserted.addAll(insert(transaction, piece));
                }
                for (List<LogEntry.Row> piece : pieces(changed)) {
                    update(transaction, piece);
                }
                return inserted;
            }));
            for (int i = 0; i < ids.size(); i++) {
                fresh.get(i).source().written(ids.get(i));
            }
        });
    }

    /** The rows in pieces of few sizes, each of which is a statement that the driver prepares once. */
    private static List<List<LogEntry.Row>> pieces(List<LogEntry.Row> rows) {
        List<List<LogEntry.Row>> pieces = new ArrayList<>();
        for (int from = 0, to; from < rows.size(); from = to) {
            to = from + Math.min(LARGEST_PIECE, Integer.highestOneBit(rows.size() - from));
            pieces.add(rows.subList(from, to));
        }
        return pieces;
    }

    /** Locks the new rows. @return their ids, which count once the transaction has committed */
    private List<Long> insert(Session session, List<LogEntry.Row> rows) throws SQLException {
        String statement = "INSERT INTO " + table
                + " (strategy, lock_key, mode, owner, fence, status, acquired_at, completed_at, released_at, waited_micros) VALUES "
                + String.join(", ", Collections.nCopies(rows.size(), NEW_ROW));
        List<Object> parameters = new ArrayList<>();
        for (LogEntry.Row row : rows) {
            LogEntry grant = row.source();
            Collections.addAll(
                    parameters,
                    grant.strategy,
                    grant.lease.key(),
                    grant.lease.mode().name(),
                    grant.lease.owner(),
                    grant.token,
                    row.status().name(),
                    row.grantedAgo(),
                    row.completedAgo(),
                    row.endedAgo(),
                    micros(grant.waited));
        }
        return session.insertReturningIds(statement, parameters.toArray());
    }

    /**
     * Locks the changed rows and no other, in the order of their ids: the join order is said, since in a small table the
     * optimizer would rather read all rows, and wait for those that others have locked. A row that retention has removed
     * meanwhile is not brought back. Nor is one opened again that others have marked EXPIRED; only how it ended by the word of
     * its own process replaces that. A statement can take longer to arrive than the one before it, which shifts what it counts
     * back from; no time is set before those that the row has already.
     */
    private void update(Session session, List<LogEntry.Row> rows) throws SQLException {
        String statement = "UPDATE ("
                + rows(rows.size(), CHANGED_ROW)
                + ") n STRAIGHT_JOIN " + table + " l ON l.id = n.id SET"
                + " l.status = IF(l.status = 'EXPIRED' AND n.status IN ('HELD', 'COMPLETED'), l.status, n.status),"
                + " l.released_at = COALESCE(GREATEST(" + NOW + " - INTERVAL n.released_ago MICROSECOND,"
                + " COALESCE(l.completed_at, l.acquired_at)), l.released_at),"
                + " l.completed_at = COALESCE(l.completed_at,"
                + " GREATEST(" + NOW + " - INTERVAL n.completed_ago MICROSECOND, l.acquired_at))";
        List<Object> parameters = new ArrayList<>();
        for (LogEntry.Row row : rows) {
            Collections.addAll(parameters, row.id(), row.status().name(), row.completedAgo(), row.endedAgo());
        }
        session.update(statement, parameters.toArray());
    }
}
