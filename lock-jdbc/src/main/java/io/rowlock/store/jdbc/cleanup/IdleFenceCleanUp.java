package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Removes the rows of keys of which no token was noted for a long time. What could still be refused by such a row is a holder
 * that was overtaken so long ago, which its process's own clock refuses as well. No token is lost that has just been noted.
 */
final class IdleFenceCleanUp extends OldRows {
    /** However short a row is to be kept: a process may be paused for a while. */
    private static final Duration SHORTEST = Duration.ofDays(1);

    private final long keepMicros;

    private final String page;

    /** Locks the row of a key that was noted long ago, if no transaction has it locked. */
    private final String lockIdle;

    /** Locks the row of a key, again. */
    private final String delete;

    /** @param keepIdle how long the row of an unused key is kept; a day at least */
    IdleFenceCleanUp(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        super(database);
        this.keepMicros = micros(keepIdle.compareTo(SHORTEST) < 0 ? SHORTEST : keepIdle);
        String table = prefix.fenceTable();
        String idle = "seen_at <= %s - INTERVAL ? MICROSECOND".formatted(NOW);
        page = "SELECT lock_key, 0, %s FROM %s WHERE lock_key > ? ORDER BY lock_key LIMIT ?".formatted(idle, table);
        lockIdle = "SELECT token FROM %s WHERE lock_key = ? AND %s FOR UPDATE SKIP LOCKED".formatted(table, idle);
        delete = "DELETE FROM %s WHERE lock_key = ?".formatted(table);
    }

    @Override
    List<Row> page(Session session, Row last, int most) throws SQLException {
        return session.query(page, OldRows::row, keepMicros, last.keyBytes(), most);
    }

    @Override
    int remove(Session session, byte[] key, long slot) throws SQLException {
        return session.inTransaction(transaction -> transaction
                        .query(lockIdle, row -> row.getLong(1), key, keepMicros)
                        .isEmpty()
                ? 0
                : transaction.update(delete, (Object) key));
    }
}
