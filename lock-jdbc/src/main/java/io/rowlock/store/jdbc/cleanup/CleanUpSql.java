package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.JdbcText.NOW;

import io.rowlock.store.jdbc.TablePrefix;

/**
 * The statements of the clean-up. It looks without locking, in pages by primary key, and then locks single rows by key,
 * each under the condition it was chosen by. Locks are taken in the order floor, gate, as everywhere.
 */
final class CleanUpSql {
    /** Locks nothing. A page of the lock table behind a row: what has run out a while ago. */
    final String page;

    /** Locks one reader's row. */
    final String deleteReader;

    /** Locks the floor. */
    final String lockFloor;

    /** Locks the gate, so that no writer takes it and no reader comes in, if it is still idle and no other transaction has locked it. */
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

    CleanUpSql(TablePrefix prefix) {
        String table = prefix.lockTable();
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
    }
}
