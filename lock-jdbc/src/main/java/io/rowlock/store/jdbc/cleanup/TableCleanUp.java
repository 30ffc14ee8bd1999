package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.fence.IdleFenceCleanUp;
import io.rowlock.store.jdbc.log.LogCleanUp;
import io.rowlock.store.jdbc.rowlock.OldRowCleanUp;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cleans the lock tables and the lock log. */
public final class TableCleanUp implements Maintenance {
    private static final Logger logger = LoggerFactory.getLogger(TableCleanUp.class);

    private static final int PAGE = 500;

    /** How many gates one transaction removes: few, because they count as taken meanwhile. */
    private static final int GATES = 50;

    /** No gate has a token as small as that. */
    private static final long NO_FLOOR = -1;

    /** What ran out that long ago is dead, not late; and the log of a lease that ended may still be on its way. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final LockDatabase database;
    private final CleanUpSql sql;
    private final long graceMicros;
    private final long keepIdleMicros;
    private final OldRowCleanUp rows;
    private final IdleFenceCleanUp fences;
    private final LogCleanUp log;
    private final AtomicLong failures = new AtomicLong();

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
        this.sql = new CleanUpSql(prefix);
        this.graceMicros = micros(grace);
        this.keepIdleMicros = micros(keepIdle);
        this.rows = rows;
        this.fences = new IdleFenceCleanUp(database, prefix, keepIdle);
        this.log = log;
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

    /** What is wrong with one table keeps no other from being cleaned. */
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
        byte[] key = new byte[0];
        long slot = 0;
        List<Candidate> page = page(key, slot);
        while (!page.isEmpty()) {
            for (Candidate row : page) {
                if (row.deadReader()) {
                    counts.readers += deleted(
                            session -> session.update(sql.deleteReader, row.keyBytes(), row.slot(), graceMicros));
                }
            }
            counts.gates += removedGates(page);
            Candidate last = page.get(page.size() - 1);
            page = page.size() < PAGE ? List.of() : page(last.keyBytes(), last.slot());
        }
    }

    private List<Candidate> page(byte[] key, long slot) {
        return database.call(
                session -> session.query(sql.page, Candidate::of, graceMicros, keepIdleMicros, key, key, slot, PAGE));
    }

    /** @return how many rows it was; none if another transaction has locked them */
    private int deleted(LockDatabase.Work<Integer> work) {
        try {
            return database.call(work);
        } catch (RowLockedException e) {
            return 0;
        }
    }

    /** @return the greatest token that a gate may have which is removed; less than any if none may be */
    private long raiseFloor(List<Candidate> page) {
        OptionalLong greatest = page.stream()
                .filter(Candidate::idleGate)
                .mapToLong(Candidate::fence)
                .max();
        if (greatest.isEmpty()) {
            return NO_FLOOR;
        }
        try {
            return database.call(session -> raiseFloor(session, greatest.getAsLong()));
        } catch (RowLockedException e) {
            return NO_FLOOR;
        }
    }

    /** One that was missing guards from the next round on: gates may just be created that have not seen it. */
    private long raiseFloor(Session session, long token) throws SQLException {
        boolean missing = session.query(sql.floor, row -> row.getLong(1)).isEmpty();
        session.update(sql.raiseFloor, token, token);
        return missing ? NO_FLOOR : token;
    }

    private int removedGates(List<Candidate> page) {
        List<byte[]> idle = page.stream()
                .filter(Candidate::idleGate)
                .map(Candidate::keyBytes)
                .toList();
        long floor = raiseFloor(page);
        int removed = 0;
        for (int from = 0; from < idle.size(); from += GATES) {
            List<byte[]> batch = idle.subList(from, Math.min(from + GATES, idle.size()));
            removed += deleted(session -> session.inTransaction(transaction -> removeGates(transaction, batch, floor)));
        }
        return removed;
    }

    private int removeGates(Session transaction, List<byte[]> keys, long floor) throws SQLException {
        List<Object> parameters = new ArrayList<>(keys);
        parameters.add(keepIdleMicros);
        parameters.add(floor);
        List<String> idle = names(transaction, sql.lockIdleGates(keys.size()), parameters.toArray());
        if (idle.isEmpty()) {
            return 0;
        }
        List<String> read = names(transaction, sql.haveReaders(idle.size()), bytes(idle));
        List<String> free = idle.stream().filter(key -> !read.contains(key)).toList();
        return free.isEmpty() ? 0 : transaction.update(sql.deleteGates(free.size()), bytes(free));
    }

    /** Keys with one character a byte: whatever bytes they have, they come back. */
    private static List<String> names(Session session, String sql, Object... parameters) throws SQLException {
        return session.query(sql, row -> new String(row.getBytes(1), ISO_8859_1), parameters);
    }

    private static Object[] bytes(List<String> names) {
        return names.stream().map(name -> name.getBytes(ISO_8859_1)).toArray();
    }

    private void cleanUniqueKeys(Counts counts) {
        byte[] last = new byte[0];
        List<byte[]> page = expiredUniqueKeys(last);
        while (!page.isEmpty()) {
            for (byte[] key : page) {
                counts.uniqueKeys += deleted(session -> session.update(sql.deleteUniqueKey, key, graceMicros));
                last = key;
            }
            page = page.size() < PAGE ? List.of() : expiredUniqueKeys(last);
        }
    }

    private List<byte[]> expiredUniqueKeys(byte[] behind) {
        return database.call(
                session -> session.query(sql.expiredUniqueKeys, row -> row.getBytes(1), behind, graceMicros, PAGE));
    }

    /** A row of the lock table and why it may go. Its key is one character a byte: whatever bytes it has, they come back. */
    private record Candidate(String key, long slot, boolean deadReader, boolean idleGate, long fence) {
        static Candidate of(ResultSet row) throws SQLException {
            return new Candidate(
                    new String(row.getBytes(1), ISO_8859_1),
                    row.getLong(2),
                    row.getBoolean(3),
                    row.getBoolean(4),
                    row.getLong(5));
        }

        byte[] keyBytes() {
            return key.getBytes(ISO_8859_1);
        }
    }

    /** What one round did. */
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
