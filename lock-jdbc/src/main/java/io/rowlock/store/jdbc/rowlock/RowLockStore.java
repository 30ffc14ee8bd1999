package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Downgrade;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TimeLimit;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Strategy {@code row-lock}: a row lock in a transaction that stays open on a connection of its own. Acquiring and releasing
 * write nothing, and the server itself queues the waiters and wakes the next one. The price is a connection for every lock
 * held, and for every key that is waited for.
 *
 * <p>The ttl is the session's {@code wait_timeout}, in whole seconds, rounded up; a renewal is a sign of life. The token is
 * the server's time in microseconds: it grows as long as the server's clock does, and not across a clock set back. A lease
 * that is handed on may use the microseconds that have passed since. No table shows
 * the holder of a key. All users of a key must have the same setting of
 * {@code fenced}, and reach the same server, directly.
 *
 * @see RowLockSql
 */
public final class RowLockStore implements LockStore {
    /** The name of this strategy in {@code rowlock.strategy}. */
    public static final String NAME = "row-lock";

    /**
     * The limits of every store of this strategy. A lock of it ends with its session, which an operator may end. Its longest ttl, a year,
     * is the server's longest {@code wait_timeout}: a longer one is cut without an error.
     */
    public static final StoreCapabilities CAPABILITIES = new StoreCapabilities(
            Set.of(LockMode.EXCLUSIVE, LockMode.SHARED), Duration.ofSeconds(1), false, RowLockStore::mostHandoffs);

    private final LockDatabase database;
    private final TablePrefix prefix;
    private final boolean fenced;
    private final RowLockConnections pool;
    final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-row-lock"));
    final Semaphore positions;
    final RowLockAttempts attempts;
    final HeldRowLocks held;

    /**
     * @param database connections for single statements: they create rows, and pass the barrier on MariaDB
     * @param dataSource a pool for this store alone, best in autocommit off and READ COMMITTED: the store changes settings
     *     of its sessions and leaves them changed. Its driver must not reconnect by itself
     * @param connections how many connections the pool has; at most half of them wait in queues
     * @param prefix what the table's name begins with
     * @param fenced whether every lock passes the barrier that {@linkplain #commitCheck commit checks} put up, which all users of the
     *     table must do if one of them has such checks
     */
    public RowLockStore(
            LockDatabase database, DataSource dataSource, int connections, TablePrefix prefix, boolean fenced) {
        this.database = database;
        this.prefix = prefix;
        this.fenced = fenced;
        this.positions = new Semaphore(connections / 2);
        this.pool = new RowLockConnections(dataSource, prefix, connections, fenced);
        this.held = new HeldRowLocks(threads, database.queryTimeout());
        this.attempts = new RowLockAttempts(database, NewRows.ofRowLocks(database, prefix), held::add);
    }

    @Override
    public String strategy() {
        return NAME;
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    /** @throws IllegalArgumentException if its locks pass no barrier */
    @Override
    public Optional<CommitCheck> commitCheck(@Nullable DataSource transactional) {
        if (!fenced) {
            throw new IllegalArgumentException("The locks of this store pass no barrier, so none can stop them");
        }
        return Optional.ofNullable(transactional)
                .map(of -> new RowLockFence(new TransactionConnection(of, queryTimeout()), prefix, held));
    }

    /**
     * The next lease's fence is the server's time when this one has ended. So the n-th hand-off may have the fence plus n once
     * more than n microseconds have passed at the server: twice as many here, should our clock be the faster one, and one more
     * because the server's time was cut to whole ones.
     */
    static long mostHandoffs(long fence, Duration held) {
        long micros = TimeUnit.NANOSECONDS.toMicros(held.toNanos());
        return Math.max(0, Math.min(Lease.MOST_HANDOFFS, micros / 2 - 1));
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        return tryAcquire(request, TimeLimit.after(request.timeLimit(), queryTimeout()));
    }

    Attempt tryAcquire(LeaseRequest request, TimeLimit limit) {
        RowLockConnection connection = open();
        Attempt attempt = new Attempt.Busy(Optional.empty());
        try {
            attempt = attempts.acquireOrCreate(connection, request, limit);
            return attempt;
        } finally {
            if (!(attempt instanceof Attempt.Granted)) {
                connection.giveUp(queryTimeout());
            }
        }
    }

    RowLockConnection open() {
        held.discardExpired();
        return pool.open(queryTimeout());
    }

    @Override
    public WaitQueue queue() {
        return this::join;
    }

    private Optional<QueuePosition> join(LeaseRequest request) {
        return positions.tryAcquire() ? Optional.of(new RowLockPosition(this, request)) : Optional.empty();
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        Duration patience = shorter(queryTimeout(), Duration.ofNanos(ttl.toNanos() / 3));
        return held.renew(leases, LockDatabase.wholeSeconds(ttl), shorter(queryTimeout(), ttl), patience);
    }

    /**
     * The process releases it when its time is over. If it cannot, the session ends with the process, or when it has been silent
     * for that long.
     */
    @Override
    public boolean release(Lease lease, Duration keepFor) {
        return keepFor.isZero() ? held.release(lease) : held.releaseAfter(lease, keepFor);
    }

    /** InnoDB cannot make an exclusive row lock a shared one, so the lease stays what it is. */
    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return held.isHeld(exclusive) ? new Downgrade.Unchanged() : new Downgrade.Lost();
    }

    @Override
    public boolean abandon(LeaseRequest request) {
        held.abandon(request);
        return true;
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(new RowLockInspection(database, prefix, held, () -> open().giveUp(queryTimeout())));
    }

    /** Ends all leases and all waits. */
    @Override
    public void close() {
        pool.close();
        threads.shutdown();
        held.close();
    }

    Duration queryTimeout() {
        return database.queryTimeout();
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
