package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.micros;
import static io.rowlock.store.jdbc.session.JdbcText.places;

import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Removes dead readers and idle gates of the lock table, the gates of a window in one transaction: they count as acquired meanwhile, which
 * is a few milliseconds. No transaction keeps the floor locked between two statements: if the process failed there, no new key could be
 * locked until the server noticed.
 */
final class IdleGateCleanUp extends WindowCleanUp {
    private final int rest;

    /** Locks one reader's row. Late: it removes only what has expired a while ago. */
    private final String deleteReader =
            "DELETE FROM %s WHERE lock_key = ? AND slot = ? AND slot > 0 AND expires_at <= %s - INTERVAL ? MICROSECOND"
                    .formatted(table, NOW);

    /** Locks nothing. */
    private final String floor = "SELECT fence FROM %s WHERE lock_key = '' AND slot = 0".formatted(table);

    /**
     * Locks the floor, in a transaction of its own before any gate is removed whose token it reaches. Waits for each statement
     * that is just creating a gate, as that has share-locked the floor: one that has read the floor as it was has found its gate, and
     * one that creates it after its removal reads the floor as it is then. Raised for nothing it does no harm.
     */
    private final String raiseFloor = """
            INSERT INTO %s (lock_key, slot, shared, owner, fence, acquired_at, expires_at)
            VALUES ('', 0, 0, '', ?, '1970-01-01', '1970-01-01')
            ON DUPLICATE KEY UPDATE fence = GREATEST(fence, ?)""".formatted(table);

    /** Locks nothing. Those between two keys that have readers, who never touch the gate: a key that is only read looks idle. */
    private final String haveReaders =
            "SELECT DISTINCT HEX(lock_key) FROM %s FORCE INDEX (PRIMARY) WHERE lock_key BETWEEN ? AND ? AND slot > 0"
                    .formatted(table);

    /**
     * Locks the gates, again. Join order and index are said, as of a small table each server would rather read all rows, and wait for
     * locked ones: MySQL even with the index, if the keys were a list; MariaDB even in this order.
     */
    private final String deleteGates = """
            DELETE l FROM JSON_TABLE(?, '$[*]' COLUMNS (lock_key VARCHAR(510) PATH '$')) n
            STRAIGHT_JOIN %s l FORCE INDEX (PRIMARY) ON l.lock_key = UNHEX(n.lock_key) AND l.slot = 0""".formatted(table);

    /** @param rest how many times as long as a batch of gates took the next one is to wait */
    IdleGateCleanUp(LockDatabase database, TablePrefix prefix, Duration keepIdle, Duration grace, int rest) {
        super(database, prefix.of(Table.LOCK), "slot, fence", """
                slot > 0 AND expires_at <= %1$s - INTERVAL ? MICROSECOND
                OR slot = 0 AND expires_at <= %1$s AND acquired_at <= %1$s - INTERVAL ? MICROSECOND""".formatted(NOW), micros(grace), micros(keepIdle));
        this.rest = rest;
    }

    /** Gates after their readers. */
    @Override
    int remove(List<Row> found) {
        Map<Boolean, List<Row>> rows = found.stream().collect(Collectors.partitioningBy(row -> row.slot() == 0));
        return super.remove(rows.getOrDefault(false, List.of())) + removedGates(rows.getOrDefault(true, List.of()));
    }

    @Override
    int remove(Session session, Row reader) throws SQLException {
        return session.update(deleteReader, reader.keyBytes(), reader.slot(), limits[0]);
    }

    private int removedGates(List<Row> idle) {
        if (idle.isEmpty()) {
            return 0;
        }
        long begin = System.nanoTime();
        long reached = idle.stream().mapToLong(Row::fence).max().orElseThrow();
        List<byte[]> keys = idle.stream().map(Row::keyBytes).toList();
        int removed = unlessLocked(session -> raisesFloor(session, reached), false)
                ? unlessLocked(
                        session -> session.inTransaction(transaction -> removeGates(transaction, keys, reached)), 0)
                : 0;
        LockSupport.parkNanos(rest * (System.nanoTime() - begin));
        return removed;
    }

    /** A floor that was missing guards from the next round on: gates may just be created that have not seen it. */
    private boolean raisesFloor(Session session, long token) throws SQLException {
        boolean found = session.number(floor).isPresent();
        session.update(raiseFloor, token, token);
        return found;
    }

    private int removeGates(Session transaction, List<byte[]> keys, long reached) throws SQLException {
        List<Object> parameters = new ArrayList<>(keys);
        parameters.add(limits[1]);
        parameters.add(reached);
        List<String> idle = names(transaction, lockIdleGates(keys.size()), parameters.toArray());
        List<String> read = names(transaction, haveReaders, keys.get(0), keys.get(keys.size() - 1));
        List<String> free = idle.stream().filter(key -> !read.contains(key)).toList();
        return free.isEmpty() ? 0 : transaction.update(deleteGates, "[\"" + String.join("\",\"", free) + "\"]");
    }

    /**
     * Locks the gates among these keys that are still idle, whose token the floor reaches, and that no other transaction has locked, so
     * that no writer acquires them and no reader comes in. Waits for none.
     */
    private String lockIdleGates(int count) {
        return """
                SELECT HEX(lock_key) FROM %1$s FORCE INDEX (PRIMARY)
                WHERE lock_key IN (%3$s) AND slot = 0 AND expires_at <= %2$s AND acquired_at <= %2$s - INTERVAL ? MICROSECOND
                  AND fence <= ?
                ORDER BY lock_key FOR UPDATE SKIP LOCKED""".formatted(table, NOW, places(count));
    }

    /** Keys in hexadecimal: whatever bytes they have, they come back. */
    private static List<String> names(Session session, String sql, Object... parameters) throws SQLException {
        return session.query(sql, row -> row.getString(1), parameters);
    }
}
