package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.Collections;

/**
 * The statements that mark and delete rows of the lock log. They look without locking, and then lock single rows by id, each
 * under the condition it was chosen by.
 */
final class LogSql {
    /**
     * Locks nothing. Log rows that say HELD though no such lease lasts, each judged by the table of its strategy; where
     * no table tells, those past their retention.
     */
    final String openEntries;

    /**
     * Locks nothing. Log rows of one lease, all grants of it, that say HELD though none of their leases lasts: readers of one
     * process can have one fence, and one of them may live though the other has run out. Right whenever it comes, since a
     * lease that has gone never comes back.
     */
    final String openEntriesOfOne;

    /** Locks nothing. */
    final String oldEntries;

    private final String log;

    LogSql(TablePrefix prefix) {
        log = prefix.logTable();
        openEntries = """
                SELECT g.id FROM %1$s g
                WHERE g.status IN ('HELD', 'COMPLETED') AND g.acquired_at <= %2$s - INTERVAL ? MICROSECOND
                  AND CASE g.strategy
                      WHEN '%3$s' THEN %4$s
                      WHEN '%5$s' THEN %6$s
                      ELSE g.acquired_at <= %2$s - INTERVAL ? MICROSECOND END
                ORDER BY g.acquired_at LIMIT ?""".formatted(
                        log,
                        NOW,
                        LeaseStore.NAME,
                        noLeaseIn(prefix.lockTable()),
                        UniqueKeyStore.NAME,
                        noLeaseIn(prefix.uniqueKeyTable()));
        openEntriesOfOne = """
                SELECT g.id FROM %s g
                WHERE g.lock_key = ? AND OCTET_LENGTH(g.lock_key) = ? AND g.strategy = ? AND g.owner = ?
                  AND g.fence BETWEEN ? AND ? AND g.status IN ('HELD', 'COMPLETED')
                  AND CASE g.strategy WHEN '%s' THEN %s WHEN '%s' THEN %s ELSE TRUE END""".formatted(
                        log,
                        LeaseStore.NAME,
                        noLeaseIn(prefix.lockTable()),
                        UniqueKeyStore.NAME,
                        noLeaseIn(prefix.uniqueKeyTable()));
        oldEntries = """
                SELECT id FROM %s
                WHERE acquired_at <= %s - INTERVAL ? MICROSECOND AND status NOT IN ('HELD', 'COMPLETED')
                ORDER BY acquired_at LIMIT ?""".formatted(log, NOW);
    }

    /** A grant of a lease that was handed on has one of the lease's tokens, of which the lease's row has the first. */
    private static String noLeaseIn(String table) {
        return """
                NOT EXISTS (SELECT 1 FROM %s l
                            WHERE l.lock_key = CAST(g.lock_key AS BINARY) AND g.fence BETWEEN l.fence AND l.fence + %d
                              AND l.owner = g.owner AND l.expires_at > %s - INTERVAL ? MICROSECOND)""".formatted(table, Lease.MOST_HANDOFFS, NOW);
    }

    /** Locks those of these log rows, by id, that no other transaction has locked, and waits for none. */
    String lockEntries(int count) {
        return "SELECT id FROM %s WHERE id IN (%s) ORDER BY id FOR UPDATE SKIP LOCKED".formatted(log, ids(count));
    }

    /** Locks these log rows, by id. */
    String markExpired(int count) {
        return "UPDATE %s SET l.status = 'EXPIRED', l.released_at = %s WHERE l.status IN ('HELD', 'COMPLETED')"
                .formatted(byId(count), NOW);
    }

    /** Locks these log rows, by id. */
    String deleteEntries(int count) {
        return "DELETE l FROM " + byId(count);
    }

    /** The join order is said: with many ids the optimizer would rather read all rows, and wait for locked ones. */
    private String byId(int count) {
        return "(%s) n STRAIGHT_JOIN %s l ON l.id = n.id"
                .formatted(
                        String.join(" UNION ALL ", Collections.nCopies(count, "SELECT CAST(? AS SIGNED) AS id")), log);
    }

    private static String ids(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }
}
