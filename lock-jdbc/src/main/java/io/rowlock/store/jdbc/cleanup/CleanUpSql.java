package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.Collections;

/**
 * The statements of the clean-up. It looks without locking, in pages by primary key, and then locks rows by key,
 * each under the condition it was chosen by. No transaction keeps the floor locked between two statements: if the process
 * failed there, no new key could be locked until the server noticed.
 */
final class CleanUpSql {
    private final String table;

    /** Locks nothing. A page of the lock table behind a row: what has run out a while ago. */
    final String page;

    /** Locks one reader's row. */
    final String deleteReader;

    /** Locks nothing. */
    final String floor;

    /**
     * Locks the floor, in a transaction of its own before any gate is removed whose token it reaches. Waits for each statement
     * that is just creating a gate, as that has share-locked the floor: one that has read the floor as it was has found its gate, and
     * one that creates it after its removal reads the floor as it is then. Raised for nothing it does no harm.
     */
    final String raiseFloor;

    /** Locks nothing. A page of the unique keys behind one: what has run out a while ago. */
    final String expiredUniqueKeys;

    /** Locks the row, waits for a transaction that has passed its fence check, and never deletes one that lasts. */
    final String deleteUniqueKey;

    CleanUpSql(TablePrefix prefix) {
        table = prefix.lockTable();
        page = """
                SELECT lock_key, slot,
                       slot > 0 AND expires_at <= %1$s - INTERVAL ? MICROSECOND AS dead_reader,
                       slot = 0 AND expires_at <= %1$s AND acquired_at <= %1$s - INTERVAL ? MICROSECOND AS idle_gate,
                       fence
                FROM %2$s
                WHERE lock_key > ? OR (lock_key = ? AND slot > ?)
                ORDER BY lock_key, slot LIMIT ?""".formatted(NOW, table);
        deleteReader =
                "DELETE FROM %s WHERE lock_key = ? AND slot = ? AND slot > 0 AND expires_at <= %s - INTERVAL ? MICROSECOND"
                        .formatted(table, NOW);
        floor = "SELECT fence FROM %s WHERE lock_key = '' AND slot = 0".formatted(table);
        raiseFloor = """
                INSERT INTO %s (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
                VALUES ('', 0, 0, '', ?, '1970-01-01', '1970-01-01')
                ON DUPLICATE KEY UPDATE fence = GREATEST(fence, ?)""".formatted(table);
        expiredUniqueKeys = """
                SELECT lock_key FROM %2$s
                WHERE lock_key > ? AND expires_at <= %1$s - INTERVAL ? MICROSECOND
                ORDER BY lock_key LIMIT ?""".formatted(NOW, prefix.uniqueKeyTable());
        deleteUniqueKey = "DELETE FROM %s WHERE lock_key = ? AND expires_at <= %s - INTERVAL ? MICROSECOND"
                .formatted(prefix.uniqueKeyTable(), NOW);
    }

    /**
     * Locks the gates among these keys that are still idle, whose token the floor reaches, and that no other transaction has locked, so
     * that no writer takes them and no reader comes in. Waits for none.
     */
    String lockIdleGates(int count) {
        return """
                SELECT lock_key FROM %1$s FORCE INDEX (PRIMARY)
                WHERE lock_key IN (%3$s) AND slot = 0 AND expires_at <= %2$s AND acquired_at <= %2$s - INTERVAL ? MICROSECOND
                  AND fence <= ?
                ORDER BY lock_key FOR UPDATE SKIP LOCKED""".formatted(table, NOW, places(count));
    }

    /** Locks nothing. Readers never touch the gate, so a key that is only read looks idle. */
    String haveReaders(int count) {
        return "SELECT DISTINCT lock_key FROM %s WHERE lock_key IN (%s) AND slot > 0".formatted(table, places(count));
    }

    /** Locks the gates, again. The join order is said: with many keys the optimizer would rather read all rows, and wait for locked ones. */
    String deleteGates(int count) {
        return "DELETE l FROM (%s) n STRAIGHT_JOIN %s l ON l.lock_key = n.lock_key AND l.slot = 0"
                .formatted(
                        String.join(" UNION ALL ", Collections.nCopies(count, "SELECT CAST(? AS BINARY) AS lock_key")),
                        table);
    }

    private static String places(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }
}
