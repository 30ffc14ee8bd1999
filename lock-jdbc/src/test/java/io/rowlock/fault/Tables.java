package io.rowlock.fault;

import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tables runs work on. Thread-safe. */
final class Tables {
    private static final TablePrefix COMMON = new TablePrefix("rowlock_");
    private static final List<String> NAMES =
            List.of("lock", "lock_log", "unique_key", "unique_key_stripe", "row", "fence");

    /** To create tables takes longer than to wait for some that another run has used. */
    private static final int MOST_APART = 6;

    private final JdbcTemplate sql;
    private final AtomicInteger made = new AtomicInteger();
    private final BlockingQueue<TablePrefix> free = new LinkedBlockingQueue<>();

    Tables(JdbcTemplate sql) {
        this.sql = sql;
    }

    /** Those of all runs, as if the key had never been used. */
    TablePrefix common(Locks locks, String key) {
        if (locks == Locks.UNIQUE_KEY) {
            sql.update("DELETE FROM rowlock_unique_key_stripe WHERE stripe = CRC32(?) & 1023", key);
        }
        return COMMON;
    }

    /** Some for one run alone, empty. */
    TablePrefix apart() throws InterruptedException {
        int number = made.getAndUpdate(some -> Math.min(some + 1, MOST_APART));
        TablePrefix own = number < MOST_APART ? made(number) : free.take();
        for (String table : NAMES) {
            sql.update("DELETE FROM " + own.value() + table);
        }
        sql.update("INSERT INTO %slock SELECT * FROM rowlock_lock WHERE lock_key = ''".formatted(own.value()));
        return own;
    }

    private TablePrefix made(int number) {
        TablePrefix own = new TablePrefix("apart" + number + "_");
        for (String table : NAMES) {
            sql.execute("CREATE TABLE %s%s LIKE rowlock_%s".formatted(own.value(), table, table));
        }
        return own;
    }

    /** A run is over. */
    void giveBack(TablePrefix used) {
        if (!used.equals(COMMON)) {
            free.add(used);
        }
    }
}
