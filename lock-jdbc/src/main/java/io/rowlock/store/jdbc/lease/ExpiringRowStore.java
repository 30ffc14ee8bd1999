package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.JdbcText.key;
import static io.rowlock.store.jdbc.JdbcText.micros;

import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LiveLock;
import io.rowlock.store.LockStore;
import io.rowlock.store.QueueTicket;
import io.rowlock.store.Renewal;
import io.rowlock.store.StoreInspection;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.RowLockedException;
import io.rowlock.store.jdbc.Session;
import io.rowlock.store.jdbc.log.SyncLockLog;
import io.rowlock.store.jdbc.queue.NamedLockQueue;
import io.rowlock.store.jdbc.queue.NamedLocks;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A strategy whose leases are rows with an expiry: how they last, how they are waited for, and what an operator sees of them. */
abstract class ExpiringRowStore implements LockStore {
    final LockDatabase database;
    final @Nullable SyncLockLog log;
    final @Nullable NamedLockQueue queue;
    private final ExpiringRowRenewal renewal;
    private final LiveLockSql liveLocks;

    /**
     * @param database where the table is
     * @param table the rows of the leases
     * @param rows the statements for a lease that is there
     * @param liveLocks the statements of an operator
     * @param log a log that has a row for each lease from the transaction on that takes it, or null
     * @param namedLocks where waiters queue, or null if they poll instead
     */
    ExpiringRowStore(
            LockDatabase database,
            String table,
            ExpiringRowSql rows,
            LiveLockSql liveLocks,
            @Nullable SyncLockLog log,
            @Nullable NamedLocks namedLocks) {
        this.database = database;
        this.log = log;
        this.queue = namedLocks == null ? null : new NamedLockQueue(namedLocks, table, this::looksFree);
        this.renewal = new ExpiringRowRenewal(database, rows);
        this.liveLocks = liveLocks;
    }

    /** Whether the key has no live exclusive lease. Locks nothing. */
    abstract boolean looksFree(String key);

    /** Ends one lease for an operator; none if another one has taken its place. @return how many rows matched */
    abstract int end(Session session, LiveLock lock, byte[] key) throws SQLException;

    /** Ends the lease that an attempt took, if it took one. @return how many rows matched */
    abstract int abandon(Session session, LeaseRequest request, byte[] key) throws SQLException;

    @Override
    public Duration shortestTtl() {
        return Duration.ofSeconds(1);
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
    public boolean abandon(LeaseRequest request) {
        byte[] key = key(request.key());
        try {
            return database.callInTime(session -> abandon(session, request, key)) == 1;
        } catch (RowLockedException e) {
            return false;
        }
    }

    @Override
    public void forget(Lease lease) {
        if (queue != null) {
            queue.forget(lease);
        }
    }

    @Override
    public Optional<QueueTicket> lineUp(LeaseRequest request) {
        return queue == null ? Optional.empty() : queue.enter(this, request);
    }

    @Override
    public boolean isWaitedFor(Lease lease) {
        return queue == null || queue.isWaitedFor(database, lease);
    }

    @Override
    public boolean isContended(String key) {
        return queue != null && queue.isContended(key);
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(new ExpiringRowInspection(database, liveLocks, this::end));
    }
}
