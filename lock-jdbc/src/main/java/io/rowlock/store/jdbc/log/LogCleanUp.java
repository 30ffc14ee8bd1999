package io.rowlock.store.jdbc.log;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static io.rowlock.store.jdbc.session.JdbcText.places;
import static io.rowlock.store.jdbc.session.JdbcText.rows;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Closes the log rows of expired leases, and removes rows past their retention. The statements look without locking, and then lock
 * single rows by id, each under the condition it was chosen by; one that another transaction has locked is left to the next round.
 * Thread-safe.
 */
public final class LogCleanUp {
    private static final int PAGE = 250; // short enough for a small max_allowed_packet

    private final LockDatabase database;
    /** In microseconds, as {@link #retention} is. */
    private final long grace;

    private final long retention;
    private final String log;

    /**
     * Locks nothing. Log rows that say HELD though no such lease lasts, each judged by the table of its strategy; where
     * no table says it, those past their retention.
     */
    private final String openEntries;

    /**
     * Locks nothing. Log rows of one lease, all grants of it, that say HELD though none of their leases lasts: readers of one
     * process can have one fence, and one of them may live though the other has expired. Right whenever it comes, since a
     * lease that has gone never comes back.
     */
    private final String openEntriesOfOne;

    /** Locks nothing. */
    private final String oldEntries;

    /**
     * @param grace how long after a lease has expired its row is closed: its own process may be about to write the end
     * @param retention how long a row is kept
     */
    public LogCleanUp(LockDatabase database, TablePrefix prefix, Duration grace, Duration retention) {
        this.database = database;
        this.grace = micros(grace);
        this.retention = micros(retention);
        log = prefix.of(Table.LOCK_LOG);
        String gone = """
                CASE g.strategy WHEN '%s' THEN %s
                                WHEN '%s' THEN %s""".formatted(
                        LeaseStore.NAME,
                        noLeaseIn(prefix.of(Table.LOCK)),
                        UniqueKeyStore.NAME,
                        noLeaseIn(prefix.of(Table.UNIQUE_KEY)));
        openEntries = """
                SELECT g.id FROM %1$s g
                WHERE g.released_at IS NULL AND g.status IN ('HELD', 'COMPLETED') AND g.acquired_at <= %2$s - INTERVAL ? MICROSECOND
                  AND %3$s ELSE g.acquired_at <= %2$s - INTERVAL ? MICROSECOND END
                ORDER BY g.acquired_at LIMIT ?""".formatted(log, NOW, gone);
        openEntriesOfOne = """
                SELECT g.id FROM %s g
                WHERE g.lock_key = ? AND OCTET_LENGTH(g.lock_key) = ? AND g.strategy = ? AND g.owner = ?
                  AND g.fence BETWEEN ? AND ? AND g.status IN ('HELD', 'COMPLETED')
                  AND %s ELSE TRUE END""".formatted(log, gone);
        oldEntries = """
                SELECT id FROM %s
                WHERE acquired_at <= %s - INTERVAL ? MICROSECOND AND status NOT IN ('HELD', 'COMPLETED')
                ORDER BY acquired_at LIMIT ?""".formatted(log, NOW);
    }

    /** @return how many rows said HELD though their lease had expired */
    public int markExpired() {
        return each(session -> session.numbers(openEntries, grace, grace, grace, retention, PAGE), this::markExpired);
    }

    /** @return how many rows were past their retention */
    public int removeOld() {
        return each(session -> session.numbers(oldEntries, retention, PAGE), this::deleteEntries);
    }

    /** Does something to the rows found, page by page, until a page is not full or nothing can be done to it. */
    private int each(LockDatabase.Work<List<Long>> find, IntFunction<String> statement) {
        int done = 0;
        while (true) {
            List<Long> page = database.call(find);
            int now = entries(page, statement);
            done += now;
            if (now == 0 || page.size() < PAGE) {
                return done;
            }
        }
    }

    /** Closes the rows of a lease that expired and was taken over. */
    void markExpired(String strategy, Lease former) {
        int length = key(former.key()).length;
        // A reader's lease has one token, which its row shows; an exclusive one has as many as it could be handed on
        long last = former.mode() == LockMode.EXCLUSIVE ? former.fence() + Lease.MOST_HANDOFFS : former.fence();
        List<Long> open = database.call(session -> session.numbers(
                openEntriesOfOne, former.key(), length, strategy, former.owner(), former.fence(), last, grace, grace));
        int unused = entries(open, this::markExpired);
    }

    /** @return how many rows were changed; none if another transaction has locked them */
    private int entries(List<Long> page, IntFunction<String> statement) {
        if (page.isEmpty()) {
            return 0;
        }
        try {
            return database.call(session -> session.inTransaction(transaction -> {
                List<Long> free = transaction.numbers(lockEntries(page.size()), page.toArray());
                return free.isEmpty() ? 0 : transaction.update(statement.apply(free.size()), free.toArray());
            }));
        } catch (RowLockedException e) {
            return 0;
        }
    }

    /** A grant of a lease that was handed on has one of the lease's tokens, of which the lease's row has the first. */
    private static String noLeaseIn(String table) {
        return """
                NOT EXISTS (SELECT 1 FROM %s l
                            WHERE l.lock_key = CAST(g.lock_key AS BINARY) AND g.fence BETWEEN l.fence AND l.fence + %s
                              AND l.owner = g.owner AND l.expires_at > %s - INTERVAL ? MICROSECOND)""".formatted(table, Lease.MOST_HANDOFFS, NOW);
    }

    /** Locks those of these log rows, by id, that no other transaction has locked, and waits for none. */
    private String lockEntries(int count) {
        return "SELECT id FROM %s WHERE id IN (%s) ORDER BY id FOR UPDATE SKIP LOCKED".formatted(log, places(count));
    }

    /** Locks these log rows, by id. */
    private String markExpired(int count) {
        return "UPDATE %s SET l.status = 'EXPIRED', l.released_at = %s WHERE l.status IN ('HELD', 'COMPLETED')"
                .formatted(byId(count), NOW);
    }

    /** Locks these log rows, by id. */
    private String deleteEntries(int count) {
        return "DELETE l FROM " + byId(count);
    }

    /** The join order is said: with many ids the optimizer would rather read all rows, and wait for locked ones. */
    private String byId(int count) {
        return "(%s) n STRAIGHT_JOIN %s l ON l.id = n.id".formatted(rows(count, "SELECT CAST(? AS SIGNED) AS id"), log);
    }
}
