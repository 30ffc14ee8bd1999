package io.rowlock.fault;

import io.rowlock.store.jdbc.TablePrefix;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tables runs work on. Thread-safe. */
final class Tables {
    private static final TablePrefix COMMON = new TablePrefix("rowlock_");

    private final JdbcTemplate sql;

    Tables(JdbcTemplate sql) {
        this.sql = sql;
    }

    /** Those of all runs, as if nobody had ever used the key. */
    TablePrefix prepared(Locks locks, String key) {
        if (locks == Locks.UNIQUE_KEY) {
            sql.update("DELETE FROM rowlock_unique_key_stripe WHERE stripe = CRC32(?) & 1023", key);
        }
        return COMMON;
    }

    /** Some of its own for one run. */
    TablePrefix apart(String run) {
        TablePrefix own = new TablePrefix(run + "_");
        for (String table : List.of("lock", "lock_log", "unique_key", "unique_key_stripe", "row")) {
            sql.execute("CREATE TABLE %s%s LIKE rowlock_%s".formatted(own.value(), table, table));
        }
        sql.execute("INSERT INTO %slock SELECT * FROM rowlock_lock WHERE lock_key = ''".formatted(own.value()));
        return own;
    }
}
