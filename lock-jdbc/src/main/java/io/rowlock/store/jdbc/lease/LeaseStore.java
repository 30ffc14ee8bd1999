package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.JdbcText.key;
import static io.rowlock.store.jdbc.JdbcText.micros;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.ConnectionsInUseException;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LiveLock;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.RowLockedException;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.Strategies;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.log.SyncLockLog;
import io.rowlock.store.jdbc.queue.NamedLockQueue;
import io.rowlock.store.jdbc.queue.NamedLocks;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Strategy {@code lease}: a row that says until when it is taken. One statement takes a free key, one gives it back.
 *
 * @see LeaseSql
 */
public final class LeaseStore extends ExpiringRowStore {
    /** What this strategy is called in {@code rowlock.strategy}. */
    public static final String NAME = Strategies.LEASE;

    private final LeaseSql sql;
    private final NamedLockQueue.ReleaseSql releaseSql;

    /**
     * @param database where the lock table is
     * @param prefix what its name begins with
     */
    public LeaseStore(LockDatabase database, TablePrefix prefix) {
        this(database, prefix, null, null);
    }

    /**
     * @param database where the lock table is
     * @param prefix what its name begins with
     * @param log a log that has a row for each lease from the transaction on that takes it, or null
     * @param namedLocks where waiters queue, or null if they poll instead
     */
    public LeaseStore(
            LockDatabase database, TablePrefix prefix, @Nullable SyncLockLog log, @Nullable NamedLocks namedLocks) {
        this(database, prefix, new LeaseSql(prefix), log, namedLocks);
    }

    private LeaseStore(
            LockDatabase database,
            TablePrefix prefix,
            LeaseSql sql,
            @Nullable SyncLockLog log,
            @Nullable NamedLocks namedLocks) {
        super(database, prefix.lockTable(), sql.rows, LiveLockSql.ofLeases(prefix), log, namedLocks);
        this.sql = sql;
        this.releaseSql =
                new NamedLockQueue.ReleaseSql(sql.releaseExclusive, sql.releaseAndLeaveLine, sql.releaseAndAskForLine);
    }

    @Override
    public String strategy() {
        return NAME;
    }

    @Override
    public boolean supports(LockMode mode) {
        return true;
    }

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return Lease.MOST_HANDOFFS;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        LockDatabase.Work<Attempt> attempt = request.mode() == LockMode.EXCLUSIVE
                ? new ExclusiveAttempt(sql, log, request)
                : new SharedAttempt(database, sql, log, request);
        try {
            return database.call(LockDatabase.Caller.waiter(request.timeLimit()), attempt);
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        }
    }

    @Override
    public boolean drained(Lease lease) {
        return drained(lease, nobody -> {});
    }

    @Override
    public boolean drained(Lease lease, Consumer<ExpiredLease> found) {
        List<ExpiredLease> removed = new ArrayList<>();
        try {
            return database.call(
                    LockDatabase.Caller.waiter(Duration.ZERO), session -> drained(session, lease, removed));
        } catch (RowLockedException | ConnectionsInUseException e) {
            return false;
        } finally {
            removed.forEach(found);
        }
    }

    private boolean drained(Session session, Lease lease, List<ExpiredLease> removed) throws SQLException {
        byte[] key = key(lease.key());
        boolean empty = true;
        boolean complete = false;
        for (Reader reader : session.query(sql.readers, Reader::of, (Object) key)) {
            if (reader.slot() == 0) {
                complete = reader.row().token() == lease.fence();
                continue;
            }
            boolean gone = !reader.row().isLive() && session.update(sql.deleteExpiredReader, key, reader.slot()) == 1;
            if (gone) {
                reader.row()
                        .expired(lease.key(), LockMode.SHARED, reader.slot())
                        .ifPresent(removed::add);
            }
            empty &= gone;
        }
        return empty && complete;
    }

    @Override
    public boolean release(Lease lease) {
        if (log != null) {
            log.releasing(NAME, lease);
        }
        byte[] key = key(lease.key());
        if (lease.mode() == LockMode.SHARED) {
            return end(sql.releaseShared, key, lease.slot());
        }
        return queue == null
                ? end(sql.releaseExclusive, key, lease.fence())
                : queue.release(database, lease, releaseSql, key, lease.fence()) == 1;
    }

    private boolean end(String statement, Object... row) {
        return database.call(LockDatabase.Caller.HOLDER, session -> session.update(statement, row)) == 1;
    }

    @Override
    boolean looksFree(String key) {
        return database.call(
                        LockDatabase.Caller.waiter(Duration.ZERO), session -> Gate.find(session, sql, key(key)))
                .filter(Gate::isTaken)
                .isEmpty();
    }

    @Override
    public Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared) {
        byte[] key = key(exclusive.key());
        Lease reader = new Lease(exclusive.key(), LockMode.SHARED, shared.nonce(), token, shared.owner());
        LockDatabase.Work<Optional<Lease>> downgrade = transaction -> {
            if (transaction.update(sql.reopenForReaders, key, exclusive.fence()) == 1) {
                transaction.update(sql.insertReader, key, shared.nonce(), shared.owner(), token, micros(shared.ttl()));
                return Optional.of(reader);
            }
            boolean done = !transaction
                    .query(sql.reader, row -> row.getLong(1), key, shared.nonce())
                    .isEmpty();
            return done ? Optional.of(reader) : Optional.empty();
        };
        return database.call(session -> log == null
                ? session.inTransaction(downgrade)
                : log.downgrade(session, NAME, downgrade, shared.waited()));
    }

    @Override
    int abandon(Session session, LeaseRequest request, byte[] key) throws SQLException {
        return request.mode() == LockMode.EXCLUSIVE
                ? session.update(sql.abandonExclusive, key, request.owner(), request.nonce())
                : session.update(sql.releaseShared, key, request.nonce());
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        String statement = mode == LockMode.EXCLUSIVE ? sql.writersObstacle : sql.readersObstacle;
        return database.callInTime(session -> session.query(statement, LeaseStore::holder, (Object) key(key)).stream()
                        .findFirst());
    }

    /** An exclusive lease is named by its token, a shared one by its slot. */
    @Override
    int end(Session session, LiveLock lock, byte[] key) throws SQLException {
        return lock.mode() == LockMode.EXCLUSIVE
                ? session.update(sql.releaseExclusive, key, lock.fence())
                : session.update(sql.releaseShared, key, lock.slot());
    }

    private static Holder holder(ResultSet row) throws SQLException {
        return new Holder(row.getString(1), Duration.of(row.getLong(2), ChronoUnit.MICROS));
    }

    /** A reader's row, or the gate. */
    private record Reader(ExpiringRow row, long slot) {
        static Reader of(ResultSet row) throws SQLException {
            return new Reader(ExpiringRow.of(row), row.getLong(5));
        }
    }
}
