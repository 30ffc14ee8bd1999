package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.JdbcText.micros;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.RowLockedException;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.fence.IdleFenceCleanUp;
import io.rowlock.store.jdbc.log.LogCleanUp;
import io.rowlock.store.jdbc.rowlock.OldRowCleanUp;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/** Cleans the lock tables and the lock log. */
public final class TableCleanUp implements Maintenance {
    private static final int PAGE = 500;

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
        cleanLocks(counts);
        cleanUniqueKeys(counts);
        counts.rows = rows.removeOld();
        counts.fences = fences.removeIdle();
        counts.expired = log.markExpired();
        counts.old = log.removeOld();
        return counts.toString();
    }

    private void cleanLocks(Counts counts) {
        byte[] key = new byte[0];
        long slot = 0;
        List<Candidate> page = page(key, slot);
        while (!page.isEmpty()) {
            long floor = raiseFloor(page);
            for (Candidate row : page) {
                if (row.deadReader()) {
                    counts.readers += deleted(
                            session -> session.update(sql.deleteReader, row.keyBytes(), row.slot(), graceMicros));
                } else if (row.idleGate()) {
                    counts.gates += deleted(
                            session -> session.inTransaction(transaction -> removeGate(transaction, row, floor)));
                }
            }
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

    private int removeGate(Session transaction, Candidate gate, long floor) throws SQLException {
        byte[] key = gate.keyBytes();
        boolean idle = !transaction
                .query(sql.lockIdleGate, row -> row.getLong(1), key, keepIdleMicros, floor)
                .isEmpty();
        boolean free = idle
                && transaction
                        .query(sql.hasReader, row -> row.getLong(1), (Object) key)
                        .isEmpty();
        return free ? transaction.update(sql.deleteGate, (Object) key) : 0;
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
