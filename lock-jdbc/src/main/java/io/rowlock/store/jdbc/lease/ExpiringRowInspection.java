package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import io.rowlock.store.inspection.Holder;
import io.rowlock.store.inspection.KeyRange;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.LivePage;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an operator sees of leases that have a row with an expiry, of whatever process. Thread-safe. */
final class ExpiringRowInspection implements StoreInspection {
    private final LockDatabase database;
    private final LiveLockSql sql;
    private final Look look;
    private final End end;

    /**
     * @param look looks for a holder with one statement
     * @param end ends a lease with one statement
     */
    ExpiringRowInspection(LockDatabase database, LiveLockSql sql, Look look, End end) {
        this.database = database;
        this.sql = sql;
        this.look = look;
        this.end = end;
    }

    /** Looks for a holder that keeps a key from being taken in a mode. */
    @FunctionalInterface
    interface Look {
        Optional<Holder> run(Session session, byte[] key, LockMode mode) throws SQLException;
    }

    /** Ends a lease, and by its token or slot none that came after it. */
    @FunctionalInterface
    interface End {
        int run(Session session, LiveLock lock, byte[] key) throws SQLException;
    }

    @Override
    public LivePage page(String prefix, @Nullable String cursor, int limit) {
        KeyRange range = KeyRange.of(prefix, cursor);
        List<LiveLock> locks = database.callInTime(session -> session.query(
                sql.page,
                ExpiringRowInspection::liveLock,
                range.first(),
                range.end(),
                range.after(),
                range.afterSlot(),
                limit + 1));
        return KeyRange.page(locks, limit);
    }

    @Override
    public List<LiveLock> holders(String key) {
        return database.callInTime(
                session -> session.query(sql.holders, ExpiringRowInspection::liveLock, (Object) key(key)));
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return database.callInTime(session -> look.run(session, key(key), mode));
    }

    private static LiveLock liveLock(ResultSet row) throws SQLException {
        long slot = row.getLong(2);
        int permits = row.getInt(7);
        return new LiveLock(
                new String(row.getBytes(1), UTF_8),
                InsideRow.mode(slot, permits),
                slot,
                Objects.requireNonNull(row.getString(3)),
                row.getLong(4),
                instant(row.getObject(5, Long.class)),
                Duration.of(row.getLong(6), ChronoUnit.MICROS));
    }

    private static @Nullable Instant instant(@Nullable Long micros) {
        return micros == null ? null : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Override
    public boolean end(LiveLock lock) {
        return database.callInTime(session -> end.run(session, lock, key(lock.key()))) > 0;
    }

    @Override
    public void requireUsable() {
        int unused = database.callInTime(session -> session.update(sql.update));
    }

    @Override
    public void requireRights() {
        requireUsable();
        int unused = database.callInTime(session -> session.update(sql.insert) + session.update(sql.delete));
    }
}
