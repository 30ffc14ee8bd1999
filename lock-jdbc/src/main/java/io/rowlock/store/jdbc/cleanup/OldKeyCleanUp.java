package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.SQLException;
import java.time.Duration;

/** Removes old rows of a table that has one row for each key. */
final class OldKeyCleanUp extends WindowCleanUp {
    /** However short a token is to be kept: a process may be paused for a while. */
    private static final Duration SHORTEST = Duration.ofDays(1);

    /** Locks the row of a key. Waits for a transaction that has it locked. Late: it removes only what is old. */
    private final String delete;

    private OldKeyCleanUp(LockDatabase database, String table, String isOld, Duration old) {
        super(database, table, "0, 0", isOld, micros(old));
        delete = "DELETE FROM %s WHERE lock_key = ? AND %s".formatted(table, isOld);
    }

    private static String isOld(String since) {
        return "%s <= %s - INTERVAL ? MICROSECOND".formatted(since, NOW);
    }

    /**
     * Removes the rows of unique keys whose holders died.
     *
     * @param grace for how long a lease has expired at least
     */
    static OldKeyCleanUp ofUniqueKeys(LockDatabase database, TablePrefix prefix, Duration grace) {
        return new OldKeyCleanUp(database, prefix.of(Table.UNIQUE_KEY), isOld("expires_at"), grace);
    }

    /**
     * Removes the rows of keys of which no token was noted for a long time. What could still be refused by such a row is a holder that was
     * overtaken so long ago, which its process's own clock refuses as well. No token is lost that has just been noted.
     *
     * @param keepIdle how long the row of an unused key is kept; a day at least
     */
    static OldKeyCleanUp ofFences(LockDatabase database, TablePrefix prefix, Duration keepIdle) {
        Duration old = keepIdle.compareTo(SHORTEST) < 0 ? SHORTEST : keepIdle;
        return new OldKeyCleanUp(database, prefix.of(Table.FENCE), isOld("seen_at"), old);
    }

    @Override
    int remove(Session session, Row row) throws SQLException {
        return session.update(delete, row.keyBytes(), limits[0]);
    }
}
