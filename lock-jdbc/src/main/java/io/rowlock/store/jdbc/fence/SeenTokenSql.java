package io.rowlock.store.jdbc.fence;

import static io.rowlock.store.jdbc.session.JdbcText.CURRENT;
import static io.rowlock.store.jdbc.session.JdbcText.NOW;

import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;

/**
 * The statements on the greatest token of each key that calls came with. All run in the receiver's transaction. Late or without an answer
 * they do no harm: it cannot commit before the answer has come.
 */
final class SeenTokenSql extends TokenTableSql {
    /**
     * Locks the row of a key, and no gap beside it, to the end of the transaction; makes it if it is missing. A row that is there stays as
     * it is, so that {@link #snapshot} can show an older one. Of two transactions that make the row, one waits for the other; a locking
     * read in place of it would have both lock the gap, and then wait for each other. Begins no snapshot.
     */
    final String lock = CURRENT + """
            INSERT INTO %1$s (lock_key, token, seen_at) VALUES (?, ?, %2$s)
            ON DUPLICATE KEY UPDATE lock_key = lock_key""".formatted(table, NOW);

    /** After {@link #lock}: reads the row as it is. Begins no snapshot. */
    final String current = CURRENT + "SELECT token, seen_at FROM %s WHERE lock_key = ? FOR UPDATE".formatted(table);

    /** Reads the row as the transaction sees it, and locks nothing. Begins the snapshot, if there is none. */
    final String snapshot = "SELECT token, seen_at FROM %s WHERE lock_key = ?".formatted(table);

    /** Changes the row, which is locked by now. Two changes never have the same time, whatever the clock does. */
    final String raise = CURRENT
            + "UPDATE %s SET token = ?, seen_at = GREATEST(%s, seen_at + INTERVAL 1 MICROSECOND) WHERE lock_key = ?"
                    .formatted(table, NOW);

    /** Reads the engine of the table. */
    final String engine =
            "SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?";

    SeenTokenSql(TablePrefix prefix) {
        super(prefix.of(Table.TOKEN));
    }
}
