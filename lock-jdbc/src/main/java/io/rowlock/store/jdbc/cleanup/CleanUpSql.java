package io.rowlock.store.jdbc.cleanup;

import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import java.util.Collections;

/**
 * The statements of the clean-up. It looks without locking, in pages by primary key, and then locks single rows by key,
 * each under the condition it was chosen by. Locks are taken in the order floor, gate, as everywhere.
 */
public final class CleanUpSql {
    private static final String NOW = "UTC_TIMESTAMP(6)";

    /** Locks nothing. A page of the lock table behind a row: what has run out a while ago. */
    final String page;

    /** Locks one reader's row. */
    final String deleteReader;

    /** Locks the floor. */
    final String lockFloor;

    /** Locks the gate, so that nobody takes it and no reader comes in, if it is idle still and nobody else has it. */
    final String lockIdleGate;

    /** Locks nothing. Readers never touch the gate, so a key that is only read looks idle. */
    final String hasReader;

    /** Locks the floor, again. */
    final String raiseFloor;

    /** Locks the gate, again. */
    final String deleteGate;

    /** Locks nothing. A page of the unique keys behind one: what has run out a while ago. */
    final String expiredUniqueKeys;

    /** Locks the row, waits for a transaction that has passed its fence check, and never deletes one that lasts. */
    final String deleteUniqueKey;

    /**
     * Locks nothing. Log rows that say HELD though no such lease lasts, each judged by the table of its strategy; where there
     * is none to tell, those past their retention.
     */
    final String openEntries;

    /**
     * Locks nothing. Log rows of one lease, all grants of it, that say HELD though none of their leases lasts: readers of one
     * process can have one fence, and one of them may live though the other has run out. Right whenever it comes, since a
     * lease that has gone never comes back.
     */
    public final String openEntriesOfOne;

    /** Locks nothing. */
    final String oldEntries;

    private final String log;

    public CleanUpSql(TablePrefix prefix) {
        String table = prefix.lockTable();
        log = prefix.logTable();
        page = """
                SELECT lock_key, slot,
                       slot > 0 AND expires_at <= %1$s - INTERVAL ? MICROSECOND AS dead_reader,
                       slot = 0 AND expires_at <= %1$s AND acquired_at <= %1$s - INTERVAL ? MICROSECOND AS idle_gate
                FROM %2$s
                WHERE lock_key > ? OR (lock_key = ? AND slot > ?)
                ORDER BY lock_key, slot LIMIT ?""".formatted(NOW, table);
        deleteReader =
                "DELETE FROM %s WHERE lock_key = ? AND slot = ? AND slot > 0 AND expires_at <= %s - INTERVAL ? MICROSECOND"
                        .formatted(table, NOW);
        lockFloor = "SELECT fence FROM %s WHERE lock_key = '' AND slot = 0 FOR UPDATE".formatted(table);
        lockIdleGate = """
                SELECT fence FROM %1$s
                WHERE lock_key = ? AND slot = 0 AND expires_at <= %2$s AND acquired_at <= %2$s - INTERVAL ? MICROSECOND
                FOR UPDATE SKIP LOCKED""".formatted(table, NOW);
        hasReader = "SELECT slot FROM %s WHERE lock_key = ? AND slot > 0 LIMIT 1".formatted(table);
        raiseFloor = """
                INSERT INTO %s (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
                VALUES ('', 0, 0, '', ?, '1970-01-01', '1970-01-01')
                ON DUPLICATE KEY UPDATE fence = GREATEST(fence, ?)""".formatted(table);
        deleteGate = "DELETE FROM %s WHERE lock_key = ? AND slot = 0".formatted(table);
        expiredUniqueKeys = """
                SELECT lock_key FROM %2$s
                WHERE lock_key > ? AND expires_at <= %1$s - INTERVAL ? MICROSECOND
                ORDER BY lock_key LIMIT ?""".formatted(NOW, prefix.uniqueKeyTable());
        deleteUniqueKey = "DELETE FROM %s WHERE lock_key = ? AND expires_at <= %s - INTERVAL ? MICROSECOND"
                .formatted(prefix.uniqueKeyTable(), NOW);
        openEntries = """
                SELECT g.id FROM %1$s g
                WHERE g.status IN ('HELD', 'COMPLETED') AND g.acquired_at <= %2$s - INTERVAL ? MICROSECOND
                  AND CASE g.strategy
                      WHEN '%3$s' THEN %4$s
                      WHEN '%5$s' THEN %6$s
                      ELSE g.acquired_at <= %2$s - INTERVAL ? MICROSECOND END
                ORDER BY g.acquired_at LIMIT ?""".formatted(
                log, NOW, LeaseStore.NAME, noLeaseIn(table), UniqueKeyStore.NAME, noLeaseIn(prefix.uniqueKeyTable()));
        openEntriesOfOne = """
                SELECT g.id FROM %s g
                WHERE g.lock_key = ? AND OCTET_LENGTH(g.lock_key) = ? AND g.strategy = ? AND g.owner = ?
                  AND g.fence BETWEEN ? AND ? AND g.status IN ('HELD', 'COMPLETED')
                  AND CASE g.strategy WHEN '%s' THEN %s WHEN '%s' THEN %s ELSE TRUE END""".formatted(
                log, LeaseStore.NAME, noLeaseIn(table), UniqueKeyStore.NAME, noLeaseIn(prefix.uniqueKeyTable()));
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

    /** Locks those of these log rows, by id, that nobody else has locked, and waits for none. */
    public String lockEntries(int count) {
        return "SELECT id FROM %s WHERE id IN (%s) ORDER BY id FOR UPDATE SKIP LOCKED".formatted(log, ids(count));
    }

    /** Locks these log rows, by id. */
    public String markExpired(int count) {
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
