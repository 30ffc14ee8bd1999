package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Removes the rows of unique keys whose holders died. */
final class UniqueKeyCleanUp extends OldRows {
    private final long graceMicros;

    private final String page;

    /** Locks the row, waits for a transaction that has passed its fence check, and never deletes one that lasts. */
    private final String delete;

    /** @param grace for how long a lease has expired at least */
    UniqueKeyCleanUp(LockDatabase database, TablePrefix prefix, Duration grace) {
        super(database);
        this.graceMicros = micros(grace);
        page = """
                SELECT lock_key, 0, TRUE FROM %2$s
                WHERE lock_key > ? AND expires_at <= %1$s - INTERVAL ? MICROSECOND
                ORDER BY lock_key LIMIT ?""".formatted(NOW, prefix.uniqueKeyTable());
        delete = "DELETE FROM %s WHERE lock_key = ? AND expires_at <= %s - INTERVAL ? MICROSECOND"
                .formatted(prefix.uniqueKeyTable(), NOW);
    }

    @Override
    List<Row> page(Session session, Row last, int most) throws SQLException {
        return session.query(page, OldRows::row, last.keyBytes(), graceMicros, most);
    }

    @Override
    int remove(Session session, byte[] key, long slot) throws SQLException {
        return session.update(delete, key, graceMicros);
    }
}
