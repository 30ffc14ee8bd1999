package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Removes old rows of a table that has one row for each key. */
final class OldKeyCleanUp extends OldRows {
    /** However short a token is to be kept: a process may be paused for a while. */
    private static final Duration SHORTEST = Duration.ofDays(1);

    private final long oldMicros;

    /** Locks nothing. A page of rows behind one, and whether each is old. */
    private final String page;

    /** Locks the row of a key that is old, if no transaction has it locked. */
    private final String lockOld;

    /** Locks the row of a key, again. */
    private final String delete;

    private OldKeyCleanUp(LockDatabase database, String table, String since, Duration old) {
        super(database);
        this.oldMicros = micros(old);
        String isOld = "%s <= %s - INTERVAL ? MICROSECOND".formatted(since, NOW);
        page = "SELECT lock_key, 0, %s FROM %s WHERE lock_key > ? ORDER BY lock_key LIMIT ?".formatted(isOld, table);
        lockOld = "SELECT lock_key FROM %s WHERE lock_key = ? AND %s FOR UPDATE SKIP LOCKED".formatted(table, isOld);
        delete = "DELETE FROM %s WHERE lock_key = ?".formatted(table);
    }

    /**
     * Removes the rows of unique keys whose holders died.
     *
     * @param grace for how long a lease has expired at least
     */
    static OldKeyCleanUp ofUniqueKeys(LockDatabase database, TablePrefix prefix, Duration grace) {
        return new OldKeyCleanUp(database, prefix.uniqueKeyTable(), "expires_at", grace);
    }

    /**
     * Removes the rows of keys of which no token was noted for a long time. What could still be refused by such a row is a holder that was
     * overtaken so long ago, which its process's own clock refuses as well. No token is lost that has just been noted.
     *
     * @param keepIdle how long the row of an unused key is kept; a day at least
     */
    static OldKeyCleanUp ofFences(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        Duration old = keepIdle.compareTo(SHORTEST) < 0 ? SHORTEST : keepIdle;
        return new OldKeyCleanUp(database, prefix.fenceTable(), "seen_at", old);
    }

    @Override
    List<Row> page(Session session, Row last, int most) throws SQLException {
        return session.query(page, OldRows::row, oldMicros, last.keyBytes(), most);
    }

    @Override
    int remove(Session session, byte[] key, long slot) throws SQLException {
        return session.inTransaction(transaction ->
                transaction.query(lockOld, row -> true, key, oldMicros).isEmpty()
                        ? 0
                        : transaction.update(delete, (Object) key));
    }
}
