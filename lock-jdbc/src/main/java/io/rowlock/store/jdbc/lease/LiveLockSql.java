package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.store.jdbc.session.TablePrefix;

/**
 * The statements with which an operator looks at a table of leases. None locks a row: what is read is as it was committed
 * last. What {@link LeaseSql} says of time holds for them.
 */
final class LiveLockSql {
    /** A page of live rows behind one, by primary key. Reads every row of the range up to there, live or not. */
    final String page;

    final String holders;

    /** Fails as an acquire would, on a server that is read-only or without the table, its newest column or the right; matches no row. */
    final String update;

    /** Matches no row, as {@link #update}. */
    final String insert;

    /** Matches no row, as {@link #update}. */
    final String delete;

    static LiveLockSql ofLeases(TablePrefix prefix) {
        return new LiveLockSql(
                prefix.lockTable(),
                "slot",
                "permits",
                "lock_key, slot, owner, fence, acquired_at, expires_at",
                "lock_key = '' AND slot = -1");
    }

    static LiveLockSql ofUniqueKeys(TablePrefix prefix) {
        return new LiveLockSql(
                prefix.uniqueKeyTable(), "0", "0", "lock_key, owner, fence, acquired_at, expires_at", "lock_key = ''");
    }

    /**
     * @param slot how a row's slot is written
     * @param permits how its permits are written
     * @param columns what a new row must have
     * @param nowhere a condition, by primary key, that no row meets
     */
    private LiveLockSql(String table, String slot, String permits, String columns, String nowhere) {
        String select = """
                SELECT lock_key, %1$s, owner, fence, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', NULLIF(acquired_at, expires_at)),
                       TIMESTAMPDIFF(MICROSECOND, %2$s, expires_at), %4$s
                FROM %3$s
                """.formatted(slot, NOW, table, permits);
        page = select + """
                WHERE lock_key >= ? AND lock_key < ? AND (lock_key > ? OR %s > ?) AND expires_at > %s
                ORDER BY 1, 2 LIMIT ?""".formatted(slot, NOW);
        holders = select + "WHERE lock_key = ? AND expires_at > %s ORDER BY 2".formatted(NOW);
        update = "UPDATE %s SET nonce = nonce + %s WHERE %s".formatted(table, permits, nowhere);
        insert = "INSERT INTO %1$s (%2$s) SELECT %2$s FROM %1$s WHERE %3$s".formatted(table, columns, nowhere);
        delete = "DELETE FROM %s WHERE %s".formatted(table, nowhere);
    }
}
