package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Backoff;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.inspection.LiveLock;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues for the leases of one table. A process that was the first of the queue keeps its position until it releases an exclusive
 * lease, as far as connections for that are left, and the statement that releases the lease lets the next waiter through: the queue moves
 * on without a look at the table. A process that found the key free has no position.
 * Its release returns whether others wait, and then it queues behind them next time. Thread-safe.
 */
final class NamedLockQueue implements WaitQueue {
    /** The answer of the asking statement if the queue is empty; the other one if it is not. */
    static final int FREE = 1;

    static final int IN_USE = 2;

    private static final Logger log = LoggerFactory.getLogger(NamedLockQueue.class);

    /** Waits until the named lock of a queue is free, for so many seconds. */
    final String awaitSql;

    /** Lets the next of a queue through. */
    final String leaveSql;

    /** The keys that this process releases though others wait for them. */
    final ContendedKeys contended = new ContendedKeys();

    final ExpiringRowStore<?> store;
    private final String isFreeSql;
    private final NamedLocks namedLocks;
    private final Release sql;
    private final Map<Lease, NamedLockPosition> kept = new ConcurrentHashMap<>();

    /**
     * @param store whose leases are waited for
     */
    NamedLockQueue(NamedLocks namedLocks, ExpiringRowStore<?> store) {
        String name = NamedLocks.name(store.sql.table, "?");
        this.awaitSql = "SELECT GET_LOCK(%s, ?)".formatted(name);
        this.leaveSql = "DO RELEASE_LOCK(%s)".formatted(name);
        this.isFreeSql = "SELECT IS_FREE_LOCK(%s)".formatted(name);
        this.namedLocks = namedLocks;
        this.store = store;
        this.sql = store.sql.releases();
    }

    /**
     * The statements that release an exclusive lease, all with the same parameters. Without {@code asking}, a release has to suppose that
     * others wait.
     */
    record Release(String plain, String leaving, @Nullable String asking) {}

    // ---- waiters

    @Override
    public boolean isContended(String key) {
        return contended.contains(key);
    }

    @Override
    public Optional<QueuePosition> join(LeaseRequest request) {
        NamedLockPosition position = new NamedLockPosition(this, namedLocks, request);
        return position.join() ? Optional.of(position) : Optional.empty();
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

    /** Looks whether an attempt is worth while: readers inside are not in the way of a writer, who drains them. Locks nothing. */
    private boolean looksFree(LeaseRequest request) {
        LockMode mode = request.mode() == LockMode.EXCLUSIVE ? LockMode.SHARED : request.mode();
        try {
            List<LiveLock> live =
                    store.database.call(Duration.ZERO, true, session -> store.inspection.live(session, request.key()));
            return StoreInspection.inTheWay(live, mode, request.permits()).isEmpty();
        } catch (LockStoreException e) {
            log.debug("It could not be seen whether \"{}\" is free", Printable.of(request.key()), e);
            return true; // the attempt will say why
        }
    }

    /** Keeps a position until its lease is released or gone. */
    void keep(Lease lease, NamedLockPosition position) {
        kept.put(lease, position);
    }

    // ---- holders

    /** Waiters behind a position of this process cannot be seen. */
    @Override
    public boolean isWaitedFor(Lease lease) {
        if (!canAsk(lease)) {
            return true;
        }
        return store.database
                .callInTime(session -> session.number(isFreeSql, (Object) key(lease.key())))
                .equals(OptionalLong.of(0));
    }

    /** @return whether a lease can be released without a position in the queue, by a statement that asks whether others wait */
    boolean canAsk(Lease lease) {
        return !kept.containsKey(lease) && namedLocks.isInOrder();
    }

    @Override
    public void forget(Lease lease) {
        NamedLockPosition position = kept.remove(lease);
        if (position != null) {
            position.leave(false);
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
            return position.leaveWith(sql.leaving(), row);
        } catch (SQLException e) {
            return releaseAgain(row, e);
        }
    }

    /**
     * If there is nothing to release any more after a statement without an answer, it is unknown whether it did that or the
     * lease was lost. One that failed otherwise has released nothing.
     */
    private int releaseAgain(Object[] row, SQLException failure) {
        int rows = store.database.call(session -> session.update(sql.plain(), row));
        if (rows == 0 && SqlFailure.of(failure) == SqlFailure.NO_ANSWER) {
            throw SqlFailure.NO_ANSWER.exception(failure);
        }
        return rows;
    }

    private LockDatabase.Work<Integer> releaseAsking(String key, Object[] row) {
        return session -> {
            boolean queues = namedLocks.isInOrder();
            String asking = sql.asking();
            if (queues && asking != null) {
                try {
                    OptionalLong answer = session.updateReturning(asking, row);
                    if (answer.orElse(FREE) != FREE) {
                        contended.add(key);
                    }
                    return answer.isPresent() ? 1 : 0;
                } catch (SQLException e) {
                    namedLocks.requireRefusal(e);
                }
            } else if (queues) {
                contended.add(key);
            }
            return session.update(sql.plain(), row);
        };
    }

    /**
     * Acquires something for a newcomer, which must not overtake the queue of its key.
     *
     * @param unlessQueued the statement
     * @param anyway the statement if the server has no queues, with the same parameters
     * @return the number that was generated; empty if no row matched
     */
    OptionalLong unlessQueued(Session session, String unlessQueued, String anyway, Object... row) throws SQLException {
        if (namedLocks.isInOrder()) {
            try {
                return session.updateReturning(unlessQueued, row);
            } catch (SQLException e) {
                namedLocks.requireRefusal(e);
            }
        }
        return session.updateReturning(anyway, row);
    }
}
