package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.NOW;
import static io.rowlock.store.jdbc.session.JdbcText.duration;
import static io.rowlock.store.jdbc.session.JdbcText.instant;
import static io.rowlock.store.jdbc.session.JdbcText.key;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/**
 * Shows an operator the leases that have a row with an expiry, of whatever process. No statement locks a row: what is read is as it
 * was committed last. What {@link LeaseSql} says of time holds for them. Thread-safe.
 */
final class LeaseInspection implements StoreInspection {
    private final ExpiringRowStore<?> store;

    /** A page of live rows behind one, by primary key. Reads every row of the range up to there, live or not. */
    private final String page;

    private final String holders;

    /** Fails as an acquire would, on a server that is read-only or without the table, its newest column or the right; matches no row. */
    private final String update;

    /** Matches no row, as {@link #update}. */
    private final String insert;

    /** Matches no row, as {@link #update}. */
    private final String delete;

    /**
     * @param store ends a lease with one statement
     */
    LeaseInspection(ExpiringRowStore<?> store) {
        RowNaming naming = store.sql.naming;
        String table = store.sql.table;
        this.store = store;
        String select = """
                SELECT lock_key, %1$s, owner, fence, TIMESTAMPDIFF(MICROSECOND, '1970-01-01', NULLIF(acquired_at, expires_at)),
                       TIMESTAMPDIFF(MICROSECOND, %2$s, expires_at), %4$s
                FROM %3$s
                """.formatted(naming.slot, NOW, table, naming.permits);
        page = select + """
                WHERE lock_key >= ? AND lock_key < ? AND (lock_key > ? OR %s > ?) AND expires_at > %s
                ORDER BY 1, 2 LIMIT ?""".formatted(naming.slot, NOW);
        holders = select + "WHERE lock_key = ? AND expires_at > %s ORDER BY 2".formatted(NOW);
        String nowhere = "lock_key = '' AND %s = -1".formatted(naming.slot);
        update = "UPDATE %s SET nonce = nonce + %s WHERE %s".formatted(table, naming.permits, nowhere);
        insert =
                "INSERT INTO %1$s (%2$s, owner, acquired_at, expires_at) SELECT %2$s, owner, acquired_at, expires_at FROM %1$s WHERE %3$s"
                        .formatted(table, naming.name, nowhere);
        delete = "DELETE FROM %s WHERE %s".formatted(table, nowhere);
    }

    @Override
    public List<LiveLock> page(KeyRange range, int limit) {
        return store.database.callInTime(session -> session.query(
                page, LeaseInspection::liveLock, range.first(), range.end(), range.after(), range.afterSlot(), limit));
    }

    @Override
    public List<LiveLock> holders(String key) {
        return store.database.callInTime(session -> live(session, key));
    }

    /** Looks for the live locks on a key. Locks nothing. */
    List<LiveLock> live(Session session, String key) throws SQLException {
        return session.query(holders, LeaseInspection::liveLock, (Object) key(key));
    }

    private static LiveLock liveLock(ResultSet row) throws SQLException {
        long slot = row.getLong(2);
        int permits = row.getInt(7);
        return new LiveLock(
                new String(row.getBytes(1), UTF_8),
                ExpiringRow.mode(slot, permits),
                slot,
                Objects.requireNonNull(row.getString(3)),
                row.getLong(4),
                instant(row, 5),
                duration(row, 6),
                permits);
    }

    @Override
    public boolean end(LiveLock lock) {
        return store.database.callInTime(session -> store.end(session, lock, key(lock.key()))) > 0;
    }

    @Override
    public void requireUsable() {
        store.database.requireWrites(update);
    }

    @Override
    public void requireRights() {
        requireUsable();
        int unused = store.database.callInTime(session -> session.update(insert) + session.update(delete));
    }
}
