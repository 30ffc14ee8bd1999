package io.rowlock.store.jdbc.rowlock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.jdbc.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements with which an operator looks at row locks. None locks a row. */
final class RowLockInspectionSql {
    /** How the server shows the primary key of a gate: the key's bytes in hexadecimal, and the slot. */
    private static final Pattern GATE = Pattern.compile("0x([0-9A-Fa-f]*), -2");

    /**
     * MySQL only. The gates that sessions have locked. A waiter is not among them; a session that has the gate and is about to pass
     * the barrier is.
     */
    final String heldGates;

    /** Matches no row. */
    final String update;

    /** Matches no row. */
    final String insert;

    RowLockInspectionSql(TablePrefix prefix) {
        String table = prefix.rowTable();
        heldGates = """
                SELECT l.lock_data, l.lock_mode, t.processlist_id, t.processlist_user, t.processlist_host
                FROM performance_schema.data_locks l
                JOIN performance_schema.threads t ON t.thread_id = l.thread_id
                WHERE l.object_schema = DATABASE() AND l.object_name = '%s' AND l.lock_type = 'RECORD'
                  AND l.lock_status = 'GRANTED' AND t.processlist_id IS NOT NULL""".formatted(table);
        update = "UPDATE %s SET gate = gate WHERE lock_key = '' AND slot = 0".formatted(table);
        insert =
                "INSERT INTO %1$s (lock_key, slot, gate) SELECT lock_key, slot, gate FROM %1$s WHERE lock_key = '' AND slot = 0"
                        .formatted(table);
    }

    /** @return empty if it is not a gate that is locked */
    static Optional<LiveLock> liveLock(ResultSet row) throws SQLException {
        Matcher gate = GATE.matcher(String.valueOf(row.getString(1)));
        if (!gate.matches()) {
            return Optional.empty();
        }
        String key = new String(HexFormat.of().parseHex(gate.group(1)), UTF_8);
        LockMode mode = row.getString(2).startsWith("X") ? LockMode.EXCLUSIVE : LockMode.SHARED;
        long session = row.getLong(3);
        String owner = "session %d of %s@%s".formatted(session, row.getString(4), row.getString(5));
        return Optional.of(new LiveLock(key, mode, session, owner, null, null, null));
    }
}
