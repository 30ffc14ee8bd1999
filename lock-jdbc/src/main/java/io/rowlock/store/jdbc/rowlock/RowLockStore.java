package io.rowlock.store.jdbc.rowlock;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Attempt;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.Downgrade;
import io.rowlock.store.Drained;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.QueuePosition;
import io.rowlock.store.Renewal;
import io.rowlock.store.StoreCapabilities;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.jdbc.session.TimeLimit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Strategy {@code row-lock}: a row lock in a transaction that stays open on a connection of its own. Taking and releasing
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

    /** The server takes no longer {@code wait_timeout} than a year, and silently cuts what is longer. */
    private static final Duration LONGEST_TTL = Duration.ofDays(365);

    /** A lock of it ends with its session, which an operator may end. */
    private static final StoreCapabilities CAPABILITIES = StoreCapabilities.DEFAULT
            .withTtls(Duration.ofSeconds(1), LONGEST_TTL)
            .withHandoffs((fence, held) -> mostHandoffs(held))
            .endingEarly();

    private final LockDatabase database;
    private final TablePrefix prefix;
    private final Duration queryTimeout;
    private final boolean fenced;
    private final int connections;
    private final RowLockConnections pool;
    private final BlockingCalls threads = new BlockingCalls();
    private final Semaphore positions;
    private final Map<Lease, HeldRowLock> heldLocks = new ConcurrentHashMap<>();
    private final RowLockAttempts attempts;

    /**
     * @param database connections for single statements, of which one passes the barrier on MariaDB
     * @param dataSource a pool for this store alone, best in autocommit off and READ COMMITTED: the store changes settings
     *     of its sessions and leaves them changed. Its driver must not reconnect by itself
     * @param connections how many connections the pool has; at most half of them wait in queues
     * @param prefix what the table's name begins with
     * @param queryTimeout how long a statement may take
     * @param fenced whether every lock passes the barrier a {@link RowLockFence} puts up, which all users of the table must
     *     do if one of them has such a fence
     */
    public RowLockStore(
            LockDatabase database,
            DataSource dataSource,
            int connections,
            TablePrefix prefix,
            Duration queryTimeout,
            boolean fenced) {
        this.database = database;
        this.prefix = prefix;
        this.queryTimeout = queryTimeout;
        this.fenced = fenced;
        this.connections = connections;
        this.positions = new Semaphore(connections / 2);
        this.pool = new RowLockConnections(dataSource, prefix, connections, fenced);
        this.attempts = new RowLockAttempts(database, queryTimeout, held -> heldLocks.put(held.lease(), held));
    }

    @Override
    public String strategy() {
        return NAME;
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Optional<CommitCheck> commitCheck(@Nullable DataSource transactional) {
        return Optional.ofNullable(transactional).map(of -> new RowLockFence(of, prefix, queryTimeout, this));
    }

    boolean isFenced() {
        return fenced;
    }

    /**
     * The next lease's fence is the server's time when this one has ended. So the n-th hand-off may have the fence plus n once
     * more than n microseconds have passed at the server: twice as many here, should our clock be the faster one, and one more
     * because the server's time was cut to whole ones.
     */
    static long mostHandoffs(Duration held) {
        long micros = TimeUnit.NANOSECONDS.toMicros(held.toNanos());
        return Math.max(0, Math.min(Lease.MOST_HANDOFFS, micros / 2 - 1));
    }

    @Override
    public Attempt tryAcquire(LeaseRequest request) {
        if (!CAPABILITIES.modes().contains(request.mode())) {
            throw new IllegalArgumentException("The strategy \"%s\" has no permits".formatted(NAME));
        }
        TimeLimit limit = limit(request);
        return onConnection(connection -> attempts.takeOrCreate(connection, request, limit));
    }

    private Attempt onConnection(Function<RowLockConnection, Attempt> work) {
        RowLockConnection connection = open();
        Attempt attempt = new Attempt.Busy(Optional.empty());
        try {
            attempt = work.apply(connection);
            return attempt;
        } finally {
            if (!(attempt instanceof Attempt.Granted)) {
                connection.giveUp(queryTimeout);
            }
        }
    }

    private RowLockConnection open() {
        discardWhatHasRunOut();
        try {
            return pool.open(queryTimeout);
        } catch (NoConnectionException e) {
            throw new NoConnectionException(
                    String.valueOf(e.getMessage()), e.getCause(), heldLocks.size() < connections);
        }
    }

    /** Leases that ran out, and lost ones that were not released, still have their connections. */
    private void discardWhatHasRunOut() {
        heldLocks.forEach((lease, held) -> {
            if (held.hasRunOut() && heldLocks.remove(lease, held)) {
                held.discard();
            }
        });
    }

    @Override
    public WaitQueue queue() {
        return this::join;
    }

    private Optional<QueuePosition> join(LeaseRequest request) {
        if (!positions.tryAcquire()) {
            return Optional.empty();
        }
        RowLockConnection connection = null;
        try {
            connection = open();
            return Optional.of(new RowLockPosition(this, attempts, connection, request, threads, positions::release));
        } catch (LockStoreException e) {
            return Optional.empty();
        } finally {
            if (connection == null) {
                positions.release();
            }
        }
    }

    /** Its writers never share a key with readers that are still inside. */
    @Override
    public Drained drained(Lease lease) {
        return check(lease) == Renewal.RENEWED ? Drained.COMPLETE : Drained.NOT_YET;
    }

    /** Checks whether the lease's session still has its lock. */
    Renewal check(Lease lease) {
        return ask(lease, held -> held.check(queryTimeout));
    }

    @Override
    public Map<Lease, Renewal> renew(List<Lease> leases, Duration ttl) {
        int seconds = seconds(ttl);
        Duration limit = shorter(queryTimeout, ttl);
        Duration patience = shorter(queryTimeout, Duration.ofNanos(ttl.toNanos() / 3));
        return threads.each(leases, lease -> ask(lease, held -> held.renew(seconds, limit)), patience, Renewal.UNKNOWN);
    }

    /**
     * The process releases it when its time is over. If it cannot, the session ends with the process, or when it has been silent
     * for that long.
     */
    @Override
    public boolean release(Lease lease, Duration keepFor) {
        if (keepFor.isZero()) {
            HeldRowLock held = heldLocks.remove(lease);
            return held != null && held.release(queryTimeout);
        }
        HeldRowLock held = heldLocks.get(lease);
        if (held == null || !(held.isKept() || lastsFor(keepFor, lease, held))) {
            return false;
        }
        if (held.keepFor(keepFor)) {
            threads.later(
                    () -> {
                        boolean unused = release(lease);
                    },
                    keepFor);
        }
        return true;
    }

    private boolean lastsFor(Duration rest, Lease lease, HeldRowLock held) {
        return held.remaining().compareTo(rest) >= 0
                || ask(lease, same -> same.renew(seconds(rest), queryTimeout)) != Renewal.LOST;
    }

    /** InnoDB cannot make an exclusive row lock a shared one, so the lease stays what it is. */
    @Override
    public Downgrade downgrade(Lease exclusive, long token, LeaseRequest shared) {
        return switch (check(exclusive)) {
            case RENEWED -> new Downgrade.Unchanged();
            case LOST -> new Downgrade.Lost();
            case UNKNOWN ->
                throw new LockStoreException("The lock \"%s\" does not answer".formatted(exclusive.key()), null);
        };
    }

    /** An attempt that got no answer has closed its connection already, so there is something to do only for one that did. */
    @Override
    public boolean abandon(LeaseRequest request) {
        heldLocks.forEach((lease, held) -> {
            if (held.isOf(request) && heldLocks.remove(lease, held)) {
                boolean unused = held.release(queryTimeout);
            }
        });
        return true;
    }

    @Override
    public Optional<StoreInspection> inspection() {
        return Optional.of(new RowLockInspection(database, prefix, heldLocks::values, this::release));
    }

    /** Ends all leases and all waits. */
    @Override
    public void close() {
        pool.close();
        threads.close();
        heldLocks.clear();
    }

    /** The lease as this process has it, if it does. */
    Optional<HeldRowLock> held(Lease lease) {
        return Optional.ofNullable(heldLocks.get(lease));
    }

    /** Asks for a lease, and forgets it if it is lost. */
    private Renewal ask(Lease lease, Function<HeldRowLock, Renewal> question) {
        Renewal outcome = held(lease).map(question).orElse(Renewal.LOST);
        if (outcome == Renewal.LOST) {
            heldLocks.remove(lease);
        }
        return outcome;
    }

    Duration queryTimeout() {
        return queryTimeout;
    }

    TimeLimit limit(LeaseRequest request) {
        return TimeLimit.of(request, queryTimeout);
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** The server counts in whole seconds; its time must not be over before ours. */
    static int seconds(Duration ttl) {
        if (ttl.compareTo(LONGEST_TTL) > 0) {
            throw new LockStoreException(
                    "A row lock lasts for at most 365 days without a renewal, not " + Printable.of(ttl), null);
        }
        return Math.max(1, Math.toIntExact(ttl.plusNanos(999_999_999).toSeconds()));
    }
}
