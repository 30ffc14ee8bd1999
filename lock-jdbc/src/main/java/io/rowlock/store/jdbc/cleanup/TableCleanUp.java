package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.fence.IdleFenceCleanUp;
import io.rowlock.store.jdbc.log.LogCleanUp;
import io.rowlock.store.jdbc.rowlock.OldRowCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cleans the lock tables and the lock log. */
public final class TableCleanUp implements Maintenance {
    private static final Logger logger = LoggerFactory.getLogger(TableCleanUp.class);

    private static final int PAGE = 500;

    /** A lease that expired that long ago is dead, not late; and the log of a lease that ended may still be on its way. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final LockDatabase database;
    private final long graceMicros;
    private final IdleGateCleanUp gates;
    private final OldRowCleanUp rows;
    private final IdleFenceCleanUp fences;
    private final LogCleanUp log;
    private final AtomicLong failures = new AtomicLong();

    /** Locks nothing. A page of the unique keys behind one: what has expired a while ago. */
    private final String expiredUniqueKeys;

    /** Locks the row, waits for a transaction that has passed its fence check, and never deletes one that lasts. */
    private final String deleteUniqueKey;

    /**
     * @param database where the tables are
     * @param prefix what their names begin with
     * @param keepIdle how long the row of an unused key is kept; of one that is locked and not written, whole days since it
     *     was created, from one to a hundred; of a fence, a day at least
     * @param retention how long the log is kept
     */
    public TableCleanUp(LockDatabase database, TablePrefix prefix, Duration keepIdle, Duration retention) {
        this(
                database,
                prefix,
                keepIdle,
                GRACE,
                new OldRowCleanUp(database, prefix, keepIdle),
                new LogCleanUp(database, prefix, GRACE, retention));
    }

    TableCleanUp(
            LockDatabase database,
            TablePrefix prefix,
            Duration keepIdle,
            Duration grace,
            OldRowCleanUp rows,
            LogCleanUp log) {
        this.database = database;
        this.graceMicros = micros(grace);
        this.gates = new IdleGateCleanUp(database, prefix, keepIdle, grace);
        this.rows = rows;
        this.fences = new IdleFenceCleanUp(database, prefix, keepIdle);
        this.log = log;
        expiredUniqueKeys = """
                SELECT lock_key FROM %2$s
                WHERE lock_key > ? AND expires_at <= %1$s - INTERVAL ? MICROSECOND
                ORDER BY lock_key LIMIT ?""".formatted(NOW, prefix.uniqueKeyTable());
        deleteUniqueKey = "DELETE FROM %s WHERE lock_key = ? AND expires_at <= %s - INTERVAL ? MICROSECOND"
                .formatted(prefix.uniqueKeyTable(), NOW);
    }

    /**
     * {@inheritDoc} Dead readers, idle gates, unique keys of dead holders, old rows of row locks, idle fences, log rows of leases that ran out, and log
     * rows past their retention.
     */
    @Override
    public String cleanUp() {
        Counts counts = new Counts();
        each("the lock table", () -> cleanLocks(counts));
        each("the table of unique keys", () -> cleanUniqueKeys(counts));
        each("the table of row locks", () -> counts.rows = this.rows.removeOld());
        each("the table of tokens", () -> counts.fences = fences.removeIdle());
        each("the open rows of the lock log", () -> counts.expired = this.log.markExpired());
        each("the old rows of the lock log", () -> counts.old = this.log.removeOld());
        return counts.toString();
    }

    /** Cleans one table; an error in it keeps no other from being cleaned. */
    private void each(String table, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failures.incrementAndGet();
            logger.warn("The clean-up of {} failed and is tried again in the next round", table, e);
        }
    }

    @Override
    public long failures() {
        return failures.get();
    }

    private void cleanLocks(Counts counts) {
        try {
            gates.remove();
        } finally {
            counts.readers = gates.readers();
            counts.gates = gates.gates();
        }
    }

    private void cleanUniqueKeys(Counts counts) {
        byte[] last = new byte[0];
        List<byte[]> page = expiredUniqueKeys(last);
        while (!page.isEmpty()) {
            for (byte[] key : page) {
                counts.uniqueKeys += deleted(key);
                last = key;
            }
            page = page.size() < PAGE ? List.of() : expiredUniqueKeys(last);
        }
    }

    /** @return how many rows it was; none if another transaction has locked it */
    private int deleted(byte[] uniqueKey) {
        try {
            return database.call(session -> session.update(deleteUniqueKey, uniqueKey, graceMicros));
        } catch (RowLockedException e) {
            return 0;
        }
    }

    private List<byte[]> expiredUniqueKeys(byte[] behind) {
        return database.call(
                session -> session.query(expiredUniqueKeys, row -> row.getBytes(1), behind, graceMicros, PAGE));
    }

    /** The outcome of one round. */
    private static final class Counts {
        private int readers;
        private int gates;
        private int uniqueKeys;
        private int rows;
        private int fences;
        private int expired;
        private int old;

        @Override
        public String toString() {
            return readers + gates + uniqueKeys + rows + fences + expired + old == 0
                    ? ""
                    : "%d dead readers and %d idle keys removed, %d log rows marked expired, %d old ones removed, %d unique keys of dead holders removed, %d old keys of row locks removed, %d idle fences removed"
                            .formatted(readers, gates, expired, old, uniqueKeys, rows, fences);
        }
    }
}
