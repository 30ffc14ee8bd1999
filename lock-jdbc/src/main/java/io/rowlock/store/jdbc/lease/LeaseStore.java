package io.rowlock.store.jdbc.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.ConnectionsInUseException;
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
import io.rowlock.store.jdbc.Writers;
import io.rowlock.store.jdbc.log.GrantNotes;
import io.rowlock.store.jdbc.log.SyncLockLog;
import io.rowlock.store.jdbc.queue.NamedLockQueue;
import io.rowlock.store.jdbc.queue.NamedLocks;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Strategy {@code lease}: a row that says until when it is taken. One statement takes a free key, one gives it back.
 *
 * @see LeaseSql
 */
public final class LeaseStore implements LockStore {
    /** What this strategy is called in {@code rowlock.strategy}. */
    public static final String NAME = Strategies.LEASE;

    /** A key can change hands between two looks at it; after that many it counts as busy. */
    private static final int MAX_LOOKS = 3;

    private final LockDatabase database;
    private final LeaseSql sql;
    private final LiveLockSql liveLocks;
    private final ExpiringRowRenewal renewal;
    private final GrantNotes notes;
    private final @Nullable NamedLockQueue line;
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
     * @param log a log that notes each lease in the transaction that takes it, or null
     * @param turnstile where those that wait line up, or null if they ask now and then instead
     */
    public LeaseStore(
            LockDatabase database, TablePrefix prefix, @Nullable SyncLockLog log, @Nullable NamedLocks turnstile) {
        this.database = database;
        this.notes = new GrantNotes(NAME, log);
        this.sql = new LeaseSql(prefix);
        this.liveLocks = LiveLockSql.ofLeases(prefix);
        this.renewal = new ExpiringRowRenewal(database, sql.rows);
        this.line = turnstile == null ? null : new NamedLockQueue(turnstile, prefix.lockTable(), this::looksFree);
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
    public Duration shortestTtl() {
        return Duration.ofSeconds(1);
    }

    @Override
    public long mostHandoffs(Lease lease, Duration held) {
        return Lease.MOST_HANDOFFS;
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        try {
            return database.callAsWaiter(
                    request.timeLimit(),
                    session -> request.mode() == LockMode.EXCLUSIVE
                            ? tryExclusive(session, request)
                            : tryShared(session, request));
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        }
    }

    private Attempt tryExclusive(Session session, LeaseRequest request) throws SQLException {
        byte[] key = key(request.key());
        for (int look = 1; look <= MAX_LOOKS; look++) {
            Optional<Attempt> taken =
                    notes.attempt(session, some -> takeExclusive(some, request, key), request.waited());
            if (taken.isPresent()) {
                return taken.get();
            }
            Optional<Gate> gate = gate(session, key);
            if (gate.isEmpty()) {
                createGate(session, key, false);
            } else if (gate.get().isTaken()) {
                return new Attempt.Busy(gate.map(Gate::holder));
            } else {
                taken = notes.attempt(session, some -> takeOver(some, request, key, gate.get()), request.waited());
                if (taken.isPresent()) {
                    return taken.get();
                }
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    private Optional<Attempt> takeExclusive(Session session, LeaseRequest request, byte[] key) throws SQLException {
        return taken(
                request,
                session.updateReturning(
                        sql.acquireExclusive, request.owner(), request.nonce(), micros(request.ttl()), key),
                Optional.empty());
    }

    private Optional<Attempt> takeOver(Session session, LeaseRequest request, byte[] key, Gate gate)
            throws SQLException {
        ExpiringRow found = gate.row();
        return taken(
                request,
                session.updateReturning(
                        sql.takeOver, request.owner(), request.nonce(), micros(request.ttl()), key, found.token()),
                found.expired(request.key(), LockMode.EXCLUSIVE, 0));
    }

    private static Optional<Attempt> taken(LeaseRequest request, OptionalLong answer, Optional<ExpiredLease> former) {
        if (answer.isEmpty()) {
            return Optional.empty();
        }
        Lease lease = new Lease(request.key(), LockMode.EXCLUSIVE, 0, answer.getAsLong() >> 1, request.owner());
        boolean hasHadReaders = (answer.getAsLong() & 1) == 1;
        return Optional.of(hasHadReaders ? new Attempt.Draining(lease, former) : new Attempt.Granted(lease, former));
    }

    /** @see LeaseSql#touchGate */
    private Optional<Attempt> enter(Session session, LeaseRequest request, byte[] key) throws SQLException {
        if (database.writers(session) == Writers.ONE) {
            return notes.attempt(session, some -> takeShared(some, request, key), request.waited());
        }
        return notes.attemptInTransaction(
                session,
                some -> some.update(sql.touchGate, (Object) key) == 0
                        ? Optional.empty()
                        : takeShared(some, request, key),
                request.waited());
    }

    private Optional<Attempt> takeShared(Session session, LeaseRequest request, byte[] key) throws SQLException {
        OptionalLong token = session.updateReturning(
                sql.acquireShared, request.nonce(), request.owner(), micros(request.ttl()), key);
        if (token.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Attempt.Granted(
                new Lease(request.key(), LockMode.SHARED, request.nonce(), token.getAsLong(), request.owner())));
    }

    private Attempt tryShared(Session session, LeaseRequest request) throws SQLException {
        byte[] key = key(request.key());
        for (int look = 1; look <= MAX_LOOKS; look++) {
            Optional<Attempt> taken = enter(session, request, key);
            if (taken.isPresent()) {
                return taken.get();
            }
            Optional<Gate> gate = gate(session, key);
            if (gate.isEmpty()) {
                createGate(session, key, true);
            } else if (!gate.get().shared()) {
                session.update(sql.markShared, (Object) key);
            } else if (gate.get().isTaken()) {
                return new Attempt.Busy(gate.map(Gate::holder));
            }
        }
        return new Attempt.Busy(Optional.empty());
    }

    private Optional<Gate> gate(Session session, byte[] key) throws SQLException {
        return session.query(sql.gate, row -> new Gate(ExpiringRow.of(row), row.getBoolean(5)), (Object) key).stream()
                .findFirst();
    }

    /** Not in the transaction that takes the gate: a duplicate leaves the row share-locked, and two would deadlock. */
    private void createGate(Session session, byte[] key, boolean shared) throws SQLException {
        try {
            session.update(sql.createGate, key, shared ? 1 : 0);
        } catch (SQLException e) {
            if (SqlFailure.of(e) != SqlFailure.DUPLICATE) {
                throw e;
            }
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
            return database.callAsWaiter(Duration.ZERO, session -> drained(session, lease, removed));
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
        return (lease.mode() == LockMode.EXCLUSIVE ? releaseExclusive(lease) : releaseShared(lease)) == 1;
    }

    private int releaseExclusive(Lease lease) {
        byte[] key = key(lease.key());
        return line == null
                ? database.call(session -> session.update(sql.releaseExclusive, key, lease.fence()))
                : line.release(database, lease, releaseSql, key, lease.fence());
    }

    private int releaseShared(Lease lease) {
        return database.call(session -> session.update(sql.releaseShared, key(lease.key()), lease.slot()));
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
        return database.callAsWaiter(Duration.ZERO, session -> gate(session, key(key)))
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
        return database.call(session -> notes.transaction(session, downgrade, shared.waited()));
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        byte[] key = key(request.key());
        LockDatabase.Work<Integer> ending = session -> request.mode() == LockMode.EXCLUSIVE
                ? session.update(sql.abandonExclusive, key, request.owner(), request.nonce())
                : session.update(sql.releaseShared, key, request.nonce());
        try {
            return database.call(Duration.ZERO, ending) == 1;
        } catch (RowLockedException e) {
            return false;
        }
    }

    @Override
    public Optional<Holder> holder(String key, LockMode mode) {
        String statement = mode == LockMode.EXCLUSIVE ? sql.writersObstacle : sql.readersObstacle;
        return database.call(
                Duration.ZERO,
                session -> session.query(statement, LeaseStore::holder, (Object) key(key)).stream()
                        .findFirst());
    }

    /** A lease of a gate whose token is gone by now, or of a reader that has left, is another's or nobody's. */
    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(new ExpiringRowInspection(
                database,
                liveLocks,
                (session, lock, key) -> lock.mode() == LockMode.EXCLUSIVE
                        ? session.update(sql.releaseExclusive, key, lock.fence())
                        : session.update(sql.releaseShared, key, lock.slot())));
    }

    private static Holder holder(ResultSet row) throws SQLException {
        return new Holder(row.getString(1), Duration.of(row.getLong(2), ChronoUnit.MICROS));
    }

    private static byte[] key(String key) {
        return key.getBytes(UTF_8);
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    /** The gate's row. */
    private record Gate(ExpiringRow row, boolean shared) {
        boolean isTaken() {
            return row.isLive();
        }

        Holder holder() {
            return row.holder();
        }
    }

    /** A reader's row, or the gate. */
    private record Reader(ExpiringRow row, long slot) {
        static Reader of(ResultSet row) throws SQLException {
            return new Reader(ExpiringRow.of(row), row.getLong(5));
        }
    }
}
