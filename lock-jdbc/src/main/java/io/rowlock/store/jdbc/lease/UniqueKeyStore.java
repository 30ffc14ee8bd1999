package io.rowlock.store.jdbc.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.ExpiredLease;
import io.rowlock.store.Holder;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.QueueTicket;
import io.rowlock.store.Renewal;
import io.rowlock.store.StoreInspection;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.RowLockedException;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.SqlFailure;
import io.rowlock.store.jdbc.Strategies;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.store.jdbc.log.GrantNotes;
import io.rowlock.store.jdbc.log.SyncLockLog;
import io.rowlock.store.jdbc.queue.NamedLockQueue;
import io.rowlock.store.jdbc.queue.NamedLocks;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Strategy {@code unique-key}: a row exists exactly while its key is locked, exclusively. One statement inserts it, one
 * deletes it, and the primary key lets one in. The row of a dead holder is deleted by whoever wants the key next.
 *
 * @see UniqueKeySql
 */
public final class UniqueKeyStore implements LockStore {
    /** What this strategy is called in {@code rowlock.strategy}. */
    public static final String NAME = Strategies.UNIQUE_KEY;

    /** One to make the stripe, one to delete what has run out, one to take it; after that many the key counts as busy. */
    private static final int MAX_LOOKS = 3;

    private final LockDatabase database;
    private final UniqueKeySql sql;
    private final LiveLockSql liveLocks;
    private final ExpiringRowRenewal renewal;
    private final GrantNotes notes;
    private final @Nullable NamedLockQueue line;
    private final NamedLockQueue.ReleaseSql releaseSql;

    /**
     * @param database where the tables are
     * @param prefix what their names begin with
     */
    public UniqueKeyStore(LockDatabase database, TablePrefix prefix) {
        this(database, prefix, null, null);
    }

    /**
     * @param database where the tables are
     * @param prefix what their names begin with
     * @param log a log that notes each lease in the transaction that takes it, or null
     * @param turnstile where those that wait line up, or null if they ask now and then instead
     */
    public UniqueKeyStore(
            LockDatabase database, TablePrefix prefix, @Nullable SyncLockLog log, @Nullable NamedLocks turnstile) {
        this.database = database;
        this.sql = new UniqueKeySql(prefix);
        this.liveLocks = LiveLockSql.ofUniqueKeys(prefix);
        this.renewal = new ExpiringRowRenewal(database, sql.rows);
        this.notes = new GrantNotes(NAME, log);
        this.line = turnstile == null ? null : new NamedLockQueue(turnstile, prefix.uniqueKeyTable(), this::looksFree);
        this.releaseSql = new NamedLockQueue.ReleaseSql(sql.release, sql.releaseAndLeaveLine, null);
    }

    @Override
    public String strategy() {
        return NAME;
    }

    @Override
    public boolean supports(LockMode mode) {
        return mode == LockMode.EXCLUSIVE;
    }

    @Override
    public Duration shortestTtl() {
        return Duration.ofSeconds(1);
    }

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return UniqueKeySql.isFirst(lease.fence()) ? Lease.MOST_HANDOFFS : 0;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        if (request.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("The strategy \"%s\" has no shared locks".formatted(NAME));
        }
        database.requireFit(NAME);
        try {
            return database.callAsWaiter(request.timeLimit(), session -> tryExclusive(session, request));
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        }
    }

    private Attempt tryExclusive(Session session, LeaseRequest request) throws SQLException {
        byte[] key = key(request.key());
        Optional<ExpiredLease> former = Optional.empty();
        for (int look = 1; look <= MAX_LOOKS; look++) {
            Optional<ExpiredLease> removed = former;
            Optional<Attempt> taken =
                    notes.attempt(session, some -> take(some, request, key, removed), request.waited());
            if (taken.isPresent()) {
                return taken.get();
            }
            List<Optional<ExpiringRow>> seen = session.query(sql.look, UniqueKeyStore::rowIfAny, key, key);
            Optional<ExpiringRow> row = seen.isEmpty() ? Optional.empty() : seen.get(0);
            if (seen.isEmpty()) {
                createStripe(session, key);
            } else if (row.filter(ExpiringRow::isLive).isPresent()) {
                return new Attempt.Busy(row.map(ExpiringRow::holder));
            } else if (row.isPresent() && session.update(sql.deleteExpired, (Object) key) == 1) {
                former = row.get().expired(request.key(), LockMode.EXCLUSIVE, 0);
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    private Optional<Attempt> take(Session session, LeaseRequest request, byte[] key, Optional<ExpiredLease> former)
            throws SQLException {
        try {
            OptionalLong number = session.updateReturning(
                    sql.take, key, request.owner(), request.nonce(), micros(request.ttl()), key, key);
            if (number.isEmpty()) {
                return Optional.empty();
            }
            long token = number.getAsLong();
            if (token < UniqueKeySql.LEAST_TOKEN) {
                token = session.updateReturning(sql.restartCounter, key, request.owner(), token)
                        .orElseThrow();
            }
            Lease lease = new Lease(request.key(), LockMode.EXCLUSIVE, 0, token, request.owner());
            return Optional.of(new Attempt.Granted(lease, former));
        } catch (SQLException e) {
            if (SqlFailure.of(e) == SqlFailure.DUPLICATE) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void createStripe(Session session, byte[] key) throws SQLException {
        try {
            session.update(sql.createStripe, (Object) key);
        } catch (SQLException e) {
            if (SqlFailure.of(e) != SqlFailure.DUPLICATE) {
                throw e;
            }
        }
    }

    /** Nobody is ever let in beside others. */
    @Override
    public boolean drained(Lease lease) {
        return true;
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return leases.isEmpty() ? Map.of() : renewal.renew(LeaseBatch.of(leases), micros(ttl));
    }

    @Override
    public Renewal resetTtl(Lease lease, Duration ttl, long change) {
        return renewal.resetTtl(lease, micros(ttl), change);
    }

    @Override
    public Renewal releaseAfter(Lease lease, Duration rest, long change) {
        return renewal.releaseAfter(lease, micros(rest), change);
    }

    @Override
    public boolean release(Lease lease) {
        notes.releasing(lease);
        Object[] row = {key(lease.key()), lease.owner(), lease.fence()};
        int rows = line == null
                ? database.call(session -> session.update(sql.release, row))
                : line.release(database, lease, releaseSql, row);
        return rows == 1;
    }

    @Override
    public void forget(Lease lease) {
        if (line != null) {
            line.forget(lease);
        }
    }

    @Override
    public Optional<QueueTicket> lineUp(LeaseRequest request) {
        return line == null ? Optional.empty() : line.enter(this, request);
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        return line == null || line.isWaitedFor(database, lease);
    }

    @Override
    public boolean isContended(String key) {
        return line != null && line.isContended(key);
    }

    private boolean looksFree(String key) {
        return database.callAsWaiter(Duration.ZERO, session -> holder(session, key))
                .isEmpty();
    }

    /** There are no shared leases, so it stays what it is. */
    @Override
    public Optional<Lease> downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return Optional.of(exclusive);
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        LockDatabase.Work<Integer> ending =
                session -> session.update(sql.abandon, key(request.key()), request.owner(), request.nonce());
        try {
            return database.call(Duration.ZERO, ending) == 1;
        } catch (RowLockedException e) {
            return false;
        }
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        return database.call(Duration.ZERO, session -> holder(session, key)).map(ExpiringRow::holder);
    }

    private Optional<ExpiringRow> holder(Session session, String key) throws SQLException {
        return session.query(sql.holder, ExpiringRow::of, (Object) key(key)).stream()
                .findFirst();
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(new ExpiringRowInspection(
                database,
                liveLocks,
                (session, lock, key) -> session.update(sql.release, key, lock.owner(), lock.fence())));
    }

    private static Optional<ExpiringRow> rowIfAny(ResultSet row) throws SQLException {
        return row.getString(1) == null ? Optional.empty() : Optional.of(ExpiringRow.of(row));
    }

    private static byte[] key(String key) {
        return key.getBytes(UTF_8);
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
