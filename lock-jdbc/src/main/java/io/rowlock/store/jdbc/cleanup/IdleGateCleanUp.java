package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/**
 * Removes dead readers and idle gates from the lock table. The server reads the table, in windows by primary key, and answers with the rows
 * that may go. These are then locked by key, each under the condition it was chosen by. No transaction keeps the floor locked between
 * two statements: if the process failed there, no new key could be locked until the server noticed. For one thread.
 */
final class IdleGateCleanUp {
    /** The rows that the server looks at for one answer: a few milliseconds. */
    private static final int WINDOW = 5_000;

    /** The most gates that one transaction removes. They count as acquired meanwhile, which is a few milliseconds. */
    private static final int GATES = 200;

    /** No gate has a token as small as that. */
    private static final long NO_FLOOR = -1;

    /** As long as a key can be, and behind all others. */
    private static final byte[] LAST_KEY = lastKey();

    private final LockDatabase database;
    private final long graceMicros;
    private final long keepIdleMicros;
    private final String table;

    /** Locks nothing. The last key of a window behind a key. */
    private final String window;

    /** Locks nothing. What has expired a while ago in a window, and gates that have been idle for long. */
    private final String candidates;

    /** Locks one reader's row. Late: it removes only what has expired a while ago. */
    private final String deleteReader;

    /** Locks nothing. */
    private final String floor;

    /**
     * Locks the floor, in a transaction of its own before any gate is removed whose token it reaches. Waits for each statement
     * that is just creating a gate, as that has share-locked the floor: one that has read the floor as it was has found its gate, and
     * one that creates it after its removal reads the floor as it is then. Raised for nothing it does no harm.
     */
    private final String raiseFloor;

    private int readers;
    private int gates;

    IdleGateCleanUp(LockDatabase database, TablePrefix prefix, Duration keepIdle, Duration grace) {
        this.database = database;
        this.graceMicros = micros(grace);
        this.keepIdleMicros = micros(keepIdle);
        table = prefix.lockTable();
        window = "SELECT lock_key FROM %s WHERE lock_key > ? ORDER BY lock_key, slot LIMIT 1 OFFSET %d"
                .formatted(table, WINDOW - 1);
        candidates = """
                SELECT lock_key, slot, fence FROM %2$s FORCE INDEX (PRIMARY)
                WHERE lock_key > ? AND lock_key <= ?
                  AND (slot > 0 AND expires_at <= %1$s - INTERVAL ? MICROSECOND
                       OR slot = 0 AND expires_at <= %1$s AND acquired_at <= %1$s - INTERVAL ? MICROSECOND)
                ORDER BY lock_key, slot""".formatted(NOW, table);
        deleteReader =
                "DELETE FROM %s WHERE lock_key = ? AND slot = ? AND slot > 0 AND expires_at <= %s - INTERVAL ? MICROSECOND"
                        .formatted(table, NOW);
        floor = "SELECT fence FROM %s WHERE lock_key = '' AND slot = 0".formatted(table);
        raiseFloor = """
                INSERT INTO %s (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
                VALUES ('', 0, 0, '', ?, '1970-01-01', '1970-01-01')
                ON DUPLICATE KEY UPDATE fence = GREATEST(fence, ?)""".formatted(table);
    }

    private static byte[] lastKey() {
        byte[] key = new byte[255];
        Arrays.fill(key, (byte) 0xFF);
        return key;
    }

    /** Removes what may go. @return how many rows */
    int remove() {
        readers = 0;
        gates = 0;
        byte[] from = new byte[0];
        byte[] to;
        do {
            to = endOfWindow(from);
            List<Candidate> found = candidates(from, to);
            found.stream().filter(row -> !row.isGate()).forEach(row -> readers += deleted(row));
            gates += removedGates(found.stream().filter(Candidate::isGate).toList());
            from = to;
        } while (!Arrays.equals(to, LAST_KEY));
        return readers + gates;
    }

    /** @return how many dead readers the last round removed */
    int readers() {
        return readers;
    }

    /** @return how many idle gates the last round removed */
    int gates() {
        return gates;
    }

    private byte[] endOfWindow(byte[] from) {
        return database.call(session -> session.query(window, row -> row.getBytes(1), from)).stream()
                .findFirst()
                .orElse(LAST_KEY);
    }

    private List<Candidate> candidates(byte[] from, byte[] to) {
        return database.call(
                session -> session.query(candidates, Candidate::of, from, to, graceMicros, keepIdleMicros));
    }

    private int deleted(Candidate reader) {
        return unlessLocked(session -> session.update(deleteReader, reader.keyBytes(), reader.slot(), graceMicros), 0);
    }

    /** Leaves what another transaction has locked to the next round. */
    private <T> T unlessLocked(LockDatabase.Work<T> work, T otherwise) {
        try {
            return database.call(work);
        } catch (RowLockedException e) {
            return otherwise;
        }
    }

    private int removedGates(List<Candidate> idle) {
        OptionalLong greatest = idle.stream().mapToLong(Candidate::fence).max();
        if (greatest.isEmpty()) {
            return 0;
        }
        long reached = unlessLocked(session -> raiseFloor(session, greatest.getAsLong()), NO_FLOOR);
        List<byte[]> keys = idle.stream().map(Candidate::keyBytes).toList();
        int removed = 0;
        for (int from = 0; from < keys.size() && reached != NO_FLOOR; from += GATES) {
            List<byte[]> batch = keys.subList(from, Math.min(from + GATES, keys.size()));
            removed += unlessLocked(
                    session -> session.inTransaction(transaction -> removeGates(transaction, batch, reached)), 0);
        }
        return removed;
    }

    /** A floor that was missing guards from the next round on: gates may just be created that have not seen it. */
    private long raiseFloor(Session session, long token) throws SQLException {
        boolean missing = session.query(floor, row -> row.getLong(1)).isEmpty();
        session.update(raiseFloor, token, token);
        return missing ? NO_FLOOR : token;
    }

    private int removeGates(Session transaction, List<byte[]> keys, long reached) throws SQLException {
        List<Object> parameters = new ArrayList<>(keys);
        parameters.add(keepIdleMicros);
        parameters.add(reached);
        List<String> idle = names(transaction, lockIdleGates(keys.size()), parameters.toArray());
        if (idle.isEmpty()) {
            return 0;
        }
        List<String> read = names(transaction, haveReaders(idle.size()), bytes(idle));
        List<String> free = idle.stream().filter(key -> !read.contains(key)).toList();
        return free.isEmpty() ? 0 : transaction.update(deleteGates(free.size()), bytes(free));
    }

    /**
     * Locks the gates among these keys that are still idle, whose token the floor reaches, and that no other transaction has locked, so
     * that no writer takes them and no reader comes in. Waits for none.
     */
    private String lockIdleGates(int count) {
        return """
                SELECT lock_key FROM %1$s FORCE INDEX (PRIMARY)
                WHERE lock_key IN (%3$s) AND slot = 0 AND expires_at <= %2$s AND acquired_at <= %2$s - INTERVAL ? MICROSECOND
                  AND fence <= ?
                ORDER BY lock_key FOR UPDATE SKIP LOCKED""".formatted(table, NOW, places(count));
    }

    /** Locks nothing. Readers never touch the gate, so a key that is only read looks idle. */
    private String haveReaders(int count) {
        return "SELECT DISTINCT lock_key FROM %s WHERE lock_key IN (%s) AND slot > 0".formatted(table, places(count));
    }

    /** Locks the gates, again. The join order is said: with many keys the optimizer would rather read all rows, and wait for locked ones. */
    private String deleteGates(int count) {
        return "DELETE l FROM (%s) n STRAIGHT_JOIN %s l ON l.lock_key = n.lock_key AND l.slot = 0"
                .formatted(
                        String.join(" UNION ALL ", Collections.nCopies(count, "SELECT CAST(? AS BINARY) AS lock_key")),
                        table);
    }

    private static String places(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    /** Keys with one character a byte: whatever bytes they have, they come back. */
    private static List<String> names(Session session, String sql, Object... parameters) throws SQLException {
        return session.query(sql, row -> new String(row.getBytes(1), ISO_8859_1), parameters);
    }

    private static Object[] bytes(List<String> names) {
        return names.stream().map(name -> name.getBytes(ISO_8859_1)).toArray();
    }

    /** A row of the lock table that may go. Its key is one character a byte. */
    private record Candidate(String key, long slot, long fence) {
        static Candidate of(ResultSet row) throws SQLException {
            return new Candidate(new String(row.getBytes(1), ISO_8859_1), row.getLong(2), row.getLong(3));
        }

        boolean isGate() {
            return slot == 0;
        }

        byte[] keyBytes() {
            return key.getBytes(ISO_8859_1);
        }
    }
}
