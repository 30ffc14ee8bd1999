package io.rowlock.store.jdbc.fence;

import static io.rowlock.store.jdbc.session.JdbcText.CURRENT;
import static io.rowlock.store.jdbc.session.JdbcText.MICROS;
import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;

/**
 * The statements on the greatest token of each key that a transaction has relied on. Several keys are locked in the order of
 * the primary key.
 */
final class FenceSql extends TokenTableSql {
    /** The count of an insert that has changed a row instead. A row that was made, or left alone, counts less. */
    static final int CHANGED = 2;

    /** Locks nothing. In a session of its own. */
    final String seen = "SELECT token FROM %s WHERE lock_key = ?".formatted(table);

    /**
     * Locks the row of a key, and no gap beside it, to the end of the transaction; makes it if it is missing. That it has changed a row
     * ({@link #CHANGED}) says that the lease's own token is there. If a later lease was seen it changes nothing; then, and if the row
     * was made, {@link #raised} reads what there is. It leaves {@code LAST_INSERT_ID()} of the application's session alone. As an insert
     * it reads what is committed, not what the transaction's snapshot shows, and begins no snapshot. Late or without an answer it does
     * no harm: it is part of a transaction that cannot commit before the answer has come.
     */
    final String raise = CURRENT + """
            INSERT INTO %1$s (lock_key, token, seen_at) VALUES (?, ?, %2$s)
            ON DUPLICATE KEY UPDATE seen_at = IF(token > ?, seen_at, %2$s), token = GREATEST(token, ?)""".formatted(table, NOW);

    /** After {@link #raise}: reads the row that is locked by now. A locking read sees what is there, and begins no snapshot. */
    final String raised = CURRENT + seen + " FOR UPDATE";

    /**
     * Locks the row of a process, for one statement in a session of its own. The answer carries the mark, which grows with each call, also
     * after the row was removed. Late, twice or without an answer it does no harm: the mark is only greater.
     */
    final String mark = """
            INSERT INTO %1$s (lock_key, token, seen_at) VALUES (?, LAST_INSERT_ID(%3$s), %2$s)
            ON DUPLICATE KEY UPDATE token = LAST_INSERT_ID(GREATEST(token + 1, %3$s)), seen_at = %2$s""".formatted(table, NOW, MICROS);

    /**
     * Share-locks the row of a key to the end of the transaction: a later lease cannot be noted before. Begins no snapshot either.
     * Never after another lock on the row in the same transaction that is to become an exclusive one.
     */
    final String share = CURRENT + seen + " LOCK IN SHARE MODE";

    /** Locks the row of a key in a session of its own, and waits for no other transaction. */
    final String lockNow = seen + " FOR UPDATE NOWAIT";

    FenceSql(TablePrefix prefix) {
        super(prefix.of(Table.FENCE));
    }
}
