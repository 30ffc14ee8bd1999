package io.rowlock.store.jdbc.lease;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Attempt;
import io.rowlock.store.Backoff;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.lease.NamedLocks.QueueName;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues for the leases of one table. A process that queued keeps its position until it releases, and the statement that
 * releases the lease lets the next waiter through: the queue moves on without a look at the table. A process that found the
 * key free has no position. Its release returns whether others wait, and then it queues behind them next time. Thread-safe.
 */
final class NamedLockQueue implements WaitQueue {
    /** The answer of the asking statement if the queue is empty; the other one if it is not. */
    static final int FREE = 1;

    static final int IN_USE = 2;

    private static final Logger log = LoggerFactory.getLogger(NamedLockQueue.class);

    private final NamedLocks namedLocks;
    private final ExpiringRowStore store;
    private final String table;
    private final ReleaseSql sql;
    private final Map<Lease, NamedLockPosition> kept = new ConcurrentHashMap<>();
    private final ContendedKeys contended = new ContendedKeys();

    /**
     * @param store whose leases are waited for
     * @param table that of the leases
     */
    NamedLockQueue(NamedLocks namedLocks, ExpiringRowStore store, String table, ReleaseSql sql) {
        this.namedLocks = namedLocks;
        this.store = store;
        this.table = table;
        this.sql = sql;
    }

    /**
     * The statements that release an exclusive lease; the first parameter of the second and third is the name of the queue. Without the
     * third, a release has to suppose that others wait.
     */
    record ReleaseSql(
            String plain, String leaving, @Nullable String asking) {}

    private QueueName name(String key) {
        return new QueueName(table, key);
    }

    // ---- waiters

    @Override
    public boolean isContended(String key) {
        return contended.contains(key);
    }

    @Override
    public Optional<QueuePosition> join(LeaseRequest request) {
        NamedLockPosition position = new NamedLockPosition(this, namedLocks, request, name(request.key()));
        return position.join() ? Optional.of(position) : Optional.empty();
    }

    /**
     * Tries once for a position.
     *
     * @param mine its connection, or null for one of the pool
     */
    Attempt tryOnce(@Nullable Connection mine, LeaseRequest request) {
        return store.tryAcquireInQueue(mine == null ? store.database : store.database.over(mine), request);
    }

    /** Watches the key for the first of the queue, as its holder has no position. */
    void awaitFree(LeaseRequest request, Backoff interval, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        boolean free = false;
        for (long left = atMost.toNanos(); left > 0 && !free; left = end - System.nanoTime()) {
            interval.pause(Duration.ofNanos(left));
            free = looksFree(request);
        }
    }

    private boolean looksFree(LeaseRequest request) {
        try {
            return store.looksFree(request);
        } catch (LockStoreException e) {
            log.debug("It could not be seen whether \"{}\" is free", Printable.of(request.key()), e);
            return true; // the attempt will say why
        }
    }

    /** Keeps a position until its lease is released or gone. */
    void keep(Lease lease, NamedLockPosition position) {
        kept.put(lease, position);
    }

    /** Notes that others wait for a key that this process releases. */
    void contended(String key) {
        contended.add(key);
    }

    // ---- holders

    /** Waiters behind a position of this process cannot be seen. */
    @Override
    public boolean isWaitedFor(Lease lease) {
        if (!canAsk(lease)) {
            return true;
        }
        return store.database.callInTime(session -> {
            String name = name(lease.key()).in(session.schema());
            return !session.query("SELECT IS_FREE_LOCK(?)", row -> row.getBoolean(1), name)
                    .get(0);
        });
    }

    /** @return whether a lease can be released without a position in the queue, by a statement that asks whether others wait */
    boolean canAsk(Lease lease) {
        return !kept.containsKey(lease) && namedLocks.isInOrder();
    }

    @Override
    public void forget(Lease lease) {
        NamedLockPosition position = kept.remove(lease);
        if (position != null) {
            position.leave();
        }
    }

    /** Releases a lease, and leaves the queue with it or finds out whether there is one. @return how many rows matched */
    int release(Lease lease, Object... row) {
        NamedLockPosition position = kept.remove(lease);
        if (position == null) {
            return store.database.call(null, false, releaseAsking(lease.key(), row));
        }
        if (position.hasWaited()) {
            contended.add(lease.key());
        }
        try {
            return position.leaveWith(sql.leaving(), row).orElseGet(() -> releasePlainly(row));
        } catch (SQLException e) {
            return releaseAgain(row, e);
        }
    }

    private int releasePlainly(Object[] row) {
        return store.database.call(session -> session.update(sql.plain(), row));
    }

    /**
     * If there is nothing to release any more after a statement without an answer, it is unknown whether it did that or the
     * lease was lost. One that failed otherwise has released nothing.
     */
    private int releaseAgain(Object[] row, SQLException failure) {
        int rows = releasePlainly(row);
        if (rows == 0 && SqlFailure.of(failure) == SqlFailure.NO_ANSWER) {
            throw SqlFailure.NO_ANSWER.exception(failure);
        }
        return rows;
    }

    private LockDatabase.Work<Integer> releaseAsking(String key, Object[] row) {
        String asking = sql.asking();
        if (!namedLocks.isInOrder()) {
            return session -> session.update(sql.plain(), row);
        }
        if (asking == null) {
            contended.add(key);
            return session -> session.update(sql.plain(), row);
        }
        return session -> {
            try {
                OptionalLong answer =
                        session.updateReturning(asking, with(name(key).in(session.schema()), row));
                if (answer.orElse(FREE) != FREE) {
                    contended.add(key);
                }
                return answer.isPresent() ? 1 : 0;
            } catch (SQLException e) {
                namedLocks.requireRefusal(e);
                return session.update(sql.plain(), row);
            }
        };
    }

    /** The parameters of a statement that begins with the name of the queue. */
    static Object[] with(String name, Object[] row) {
        return Stream.concat(Stream.of(name), Arrays.stream(row)).toArray();
    }

    /**
     * Takes something for a newcomer, which must not overtake the queue of its key.
     *
     * @param unlessQueued the statement, whose last parameter is the name of the queue
     * @param anyway the statement if the server has no queues
     * @return the number that was generated; empty if no row matched
     */
    OptionalLong unlessQueued(Session session, String key, String unlessQueued, String anyway, Object... row)
            throws SQLException {
        if (namedLocks.isInOrder()) {
            Object[] all = Arrays.copyOf(row, row.length + 1);
            all[row.length] = name(key).in(session.schema());
            try {
                return session.updateReturning(unlessQueued, all);
            } catch (SQLException e) {
                namedLocks.requireRefusal(e);
            }
        }
        return session.updateReturning(anyway, row);
    }
}
