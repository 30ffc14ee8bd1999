package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;
import static io.rowlock.store.jdbc.session.JdbcText.micros;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Keeps leases as rows with an expiry: how they last, how they are released and waited for, and what an operator sees of them. */
abstract class ExpiringRowStore implements LockStore {
    final LockDatabase database;
    final @Nullable NamedLockQueue queue;
    final ExpiringRowRenewal renewal;
    private final ExpiringRowSql rows;

    /**
     * @param database where the table is
     * @param rows the statements for a lease that is there
     * @param release the statements that release an exclusive lease
     * @param namedLocks where waiters queue, or null if they poll instead
     */
    ExpiringRowStore(
            LockDatabase database,
            ExpiringRowSql rows,
            NamedLockQueue.Release release,
            @Nullable NamedLocks namedLocks) {
        this.database = database;
        this.rows = rows;
        this.queue = namedLocks == null ? null : new NamedLockQueue(namedLocks, this, rows.table, release);
        this.renewal = new ExpiringRowRenewal(database, rows);
    }

    /** Tries once for a request that is the first in the queue, or does not know. */
    final Attempt tryAcquireInQueue(LeaseRequest request) {
        try {
            return database.callWaiting(request.timeLimit(), attemptInQueue(request));
        } catch (RowLockedException e) {
            return new Attempt.Busy(Optional.empty());
        }
    }

    /** Returns what such an attempt does. */
    abstract LockDatabase.Work<Attempt> attemptInQueue(LeaseRequest request);

    /** Looks whether an attempt is worth while: readers inside are no obstacle to a writer, who drains them. Locks nothing. */
    final boolean looksFree(LeaseRequest request) {
        LockMode mode = request.mode() == LockMode.EXCLUSIVE ? LockMode.SHARED : request.mode();
        return database.callWaiting(Duration.ZERO, session -> obstacle(session, key(request.key()), mode))
                .isEmpty();
    }

    /** Looks for a live lease that keeps a key from being taken in a mode. Locks nothing. */
    abstract Optional<Holder> obstacle(Session session, byte[] key, LockMode mode) throws SQLException;

    /** Ends one lease for an operator; none if another one has taken its place. @return how many rows matched */
    abstract int end(Session session, LiveLock lock, byte[] key) throws SQLException;

    /** Ends the lease that an attempt took, if it took one. @return how many rows matched */
    abstract int abandon(Session session, LeaseRequest request, byte[] key) throws SQLException;

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        return leases.isEmpty() ? Map.of() : renewal.renew(leases, micros(ttl));
    }

    final boolean releaseWith(String statement, Object... row) {
        return database.call(null, false, session -> session.update(statement, row)) == 1;
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        byte[] key = key(request.key());
        try {
            return database.callInTime(session -> abandon(session, request, key)) == 1;
        } catch (RowLockedException e) {
            return false;
        }
    }

    @Override
    public WaitQueue queue() {
        return queue == null ? WaitQueue.POLLING : queue;
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(new LeaseInspection(database, rows, this));
    }

    @Override
    public Optional<CommitCheck> commitCheck(@Nullable DataSource transactional) {
        return Optional.ofNullable(transactional)
                .map(of -> new ExpiringRowFence(new TransactionConnection(of, database.queryTimeout()), rows));
    }
}
