package io.rowlock.store.jdbc.rowlock;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Shows an operator the row locks: this process's own, and on MySQL those of other sessions, if the database user may
 * read {@code performance_schema.data_locks} and {@code threads}. These show a session and not an owner; it is asked for
 * nowhere else, since to find out by locking would obstruct waiters. Thread-safe.
 */
final class RowLockInspection implements StoreInspection {
    /** The primary key of a gate as the server shows it: the key's bytes in hexadecimal, and the slot. */
    private static final Pattern GATE = Pattern.compile("0x([0-9A-Fa-f]*), -2");

    private static final int NO_SUCH_THREAD = 1094;

    private static final Comparator<LiveLock> ORDER = Comparator.comparing(
                    (LiveLock lock) -> JdbcText.key(lock.key()), Arrays::compareUnsigned)
            .thenComparing(LiveLock::slot);

    private final LockDatabase database;
    private final HeldRowLocks own;
    private final Runnable session;

    /**
     * MySQL only. The gates that sessions have locked. A waiter is not among them; a session that has the gate and is about to pass
     * the barrier is.
     */
    private final String heldGates;

    /** Matches no row. */
    private final String update;

    /** Matches no row. */
    private final String insert;

    /** @param session opens a session for a row lock, and gives it back */
    RowLockInspection(LockDatabase database, TablePrefix prefix, HeldRowLocks own, Runnable session) {
        this.database = database;
        this.own = own;
        this.session = session;
        String table = prefix.of(Table.ROW);
        heldGates = """
                SELECT l.lock_data, l.lock_mode, t.processlist_id, t.processlist_user, t.processlist_host
                FROM performance_schema.data_locks l
                JOIN performance_schema.threads t ON t.thread_id = l.thread_id
                WHERE l.object_schema = DATABASE() AND l.object_name = '%s' AND l.lock_type = 'RECORD'
                  AND l.lock_status = 'GRANTED' AND t.processlist_id IS NOT NULL""".formatted(table);
        update = "UPDATE %s SET gate = gate WHERE lock_key = '' AND slot = 0".formatted(table);
        insert = """
                INSERT INTO %1$s (lock_key, slot, gate, created_on)
                SELECT lock_key, slot, gate, created_on FROM %1$s WHERE lock_key = '' AND slot = 0""".formatted(table);
    }

    @Override
    public List<LiveLock> page(KeyRange range, int limit) {
        return seen(lock -> range.contains(lock.key(), lock.slot())).stream()
                .limit(limit)
                .toList();
    }

    @Override
    public List<LiveLock> holders(String key) {
        return seen(lock -> lock.key().equals(key));
    }

    /** A cheap statement does not show it. */
    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return Optional.empty();
    }

    private List<LiveLock> seen(Predicate<LiveLock> wanted) {
        List<LiveLock> ofOthers = database.callInTime(this::ofAllSessions);
        Set<LiveLock> seen = new TreeSet<>(ORDER); // of two for one lock, the first counts, which has the owner
        Stream.concat(own.all().stream().map(RowLockInspection::own), ofOthers.stream())
                .filter(wanted)
                .forEach(seen::add);
        return List.copyOf(seen);
    }

    private List<LiveLock> ofAllSessions(Session session) throws SQLException {
        try {
            return session.query(heldGates, RowLockInspection::liveLock).stream()
                    .flatMap(Optional::stream)
                    .toList();
        } catch (SQLException e) {
            SqlFailure failure = SqlFailure.of(e);
            if (failure == SqlFailure.NO_TABLE || failure == SqlFailure.NO_RIGHTS) {
                return List.of();
            }
            throw e;
        }
    }

    /** @return empty if it is not a gate that is locked */
    private static Optional<LiveLock> liveLock(ResultSet row) throws SQLException {
        Matcher gate = GATE.matcher(String.valueOf(row.getString(1)));
        if (!gate.matches()) {
            return Optional.empty();
        }
        String key = new String(HexFormat.of().parseHex(gate.group(1)), UTF_8);
        LockMode mode = row.getString(2).startsWith("X") ? LockMode.EXCLUSIVE : LockMode.SHARED;
        long session = row.getLong(3);
        String owner = "session %s of %s@%s".formatted(session, row.getString(4), row.getString(5));
        return Optional.of(new LiveLock(key, mode, session, owner, null, null, null, 0));
    }

    private static LiveLock own(HeldRowLock held) {
        Lease lease = held.lease();
        return new LiveLock(
                lease.key(),
                lease.mode(),
                held.sessionId(),
                lease.owner(),
                lease.fence(),
                held.isKept() ? null : Instant.EPOCH.plus(lease.fence(), ChronoUnit.MICROS),
                held.remaining(),
                0);
    }

    @Override
    public boolean end(LiveLock lock) {
        for (HeldRowLock held : own.all()) {
            Lease lease = held.lease();
            if (held.sessionId() == lock.slot() && lease.key().equals(lock.key())) {
                Long fence = lock.fence();
                return fence != null && fence == lease.fence() && own.release(lease);
            }
        }
        return database.callInTime(session -> kill(session, lock));
    }

    /**
     * The server gives a dead session's number to no other, but a living one may have gone on to another lock: it is looked
     * at once more, which leaves the moment until the next statement.
     */
    private boolean kill(Session session, LiveLock lock) throws SQLException {
        if (ofAllSessions(session).stream()
                .noneMatch(seen -> seen.slot() == lock.slot() && seen.key().equals(lock.key()))) {
            return false;
        }
        try {
            int unused = session.update("KILL " + lock.slot());
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() == NO_SUCH_THREAD) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void requireUsable() {
        database.requireWrites(update);
    }

    @Override
    public void requireRights() {
        requireUsable();
        int unused = database.callInTime(session -> session.update(insert));
        session.run(); // refuses a server on which there can be no row locks
    }
}
