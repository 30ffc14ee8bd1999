package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Closes the log rows of leases that ran out, and removes rows past their retention. Thread-safe. */
public final class LogCleanUp {
    private static final int PAGE = 250; // short enough for a small max_allowed_packet

    private final LockDatabase database;
    private final LogSql sql;
    private final long graceMicros;
    private final long retentionMicros;

    /**
     * @param grace how long after a lease has run out its row is closed: its own process may be about to write the end
     * @param retention how long a row is kept
     */
    public LogCleanUp(LockDatabase database, TablePrefix prefix, Duration grace, Duration retention) {
        this.database = database;
        this.sql = new LogSql(prefix);
        this.graceMicros = micros(grace);
        this.retentionMicros = micros(retention);
    }

    /** @return how many rows said HELD though their lease had run out */
    public int markExpired() {
        return each(this::openEntries, sql::markExpired);
    }

    /** @return how many rows were past their retention */
    public int removeOld() {
        return each(this::oldEntries, sql::deleteEntries);
    }

    private List<Long> openEntries() {
        return database.call(session -> session.query(
                sql.openEntries, row -> row.getLong(1), graceMicros, graceMicros, graceMicros, retentionMicros, PAGE));
    }

    private List<Long> oldEntries() {
        return database.call(session -> session.query(sql.oldEntries, row -> row.getLong(1), retentionMicros, PAGE));
    }

    /** Does something to the rows found, page by page, until a page is not full or nothing can be done to it. */
    private int each(Supplier<List<Long>> find, IntFunction<String> statement) {
        int done = 0;
        while (true) {
            List<Long> page = find.get();
            int now = page.isEmpty() ? 0 : entries(page, statement);
            done += now;
            if (now == 0 || page.size() < PAGE) {
                return done;
            }
        }
    }

    /** @return how many rows were changed; none if another transaction has locked them */
    private int entries(List<Long> page, IntFunction<String> statement) {
        try {
            return database.call(session -> session.inTransaction(transaction -> {
                List<Long> free =
                        transaction.query(sql.lockEntries(page.size()), row -> row.getLong(1), page.toArray());
                return free.isEmpty() ? 0 : transaction.update(statement.apply(free.size()), free.toArray());
            }));
        } catch (RowLockedException e) {
            return 0;
        }
    }
}
