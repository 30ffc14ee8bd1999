package io.rowlock.store.jdbc.queue;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.queue.NamedLocks.QueueName;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * X it releases, and the statement that
 * releases the lease lets the next waiter through: the queue moves on without a look at the table. A process that found the
 * key free has no position. Its release returns whether others wait, and then it queues behind them next time. Thread-safe.
 */
public final class NamedLockQueue implements WaitQueue {
    /** The answer of the asking statement if the queue is empty; the other one if it is not. */
    public static final int FREE = 1;

    public static final int IN_USE = 2;

    private static final Logger log = LoggerFactory.getLogger(NamedLockQueue.class);

    private final NamedLocks namedLocks;
    private final LockDatabase database;
    private final String table;
    private final Attempts attempts;
    private final Predicate<LeaseRequest> isFree;
    private final Map<Lease, NamedLockPosition> kept = new ConcurrentHashMap<>();
    private final ContendedKeys contended = new ContendedKeys();

    /**
     * @param database where the table is
     * @param table the leases' table
     * @param attempts for the first of the queue
     * @param isFree looks at the table, whether an attempt is worth while
     */
    public NamedLockQueue(
            NamedLocks namedLocks,
            LockDatabase database,
            String table,
            Attempts attempts,
            Predicate<LeaseRequest> isFree) {
        this.namedLocks = namedLocks;
        this.database = database;
        this.table = table;
        this.attempts = attempts;
        this.isFree = isFree;
    }

    /** Tries once to take a key. */
    @FunctionalInterface
    public interface Attempts {
        /** @param database over the connection of the position if there is one, else over the pool */
        Attempt tryOnce(LockDatabase database, LeaseRequest request);
    }

    @Override
    public boolean isContended(String key) {
        return contended.contains(key);
    }

    @Override
    public Optional<QueuePosition> join(LeaseRequest request) {
        NamedLockPosition position =
                new NamedLockPosition(this, namedLocks, request, new QueueName(table, request.key()));
        return position.join() ? Optional.of(position) : Optional.empty();
    }

    /**
     * Tries once for a position.
     *
     * @param mine its connection, or null for one of the pool
     */
    Attempt tryOnce(@Nullable Connection mine, LeaseRequest request) {
        return attempts.tryOnce(mine == null ? database : database.over(mine), request);
    }

    /** Keeps a position until its lease is released or gone. */
    void keep(Lease lease, NamedLockPosition position) {
        kept.put(lease, position);
    }

    /** Notes that others wait for a key that this process releases. */
    void contended(String key) {
        contended.add(key);
    }

    /** Waiters behind a position of this process cannot be seen. */
    @Override
    public boolean isWaitedFor(Lease lease) {
        if (kept.containsKey(lease) || !namedLocks.isInOrder()) {
            return true;
        }
        return database.callInTime(session -> {
            String name = new QueueName(table, lease.key()).in(session.schema());
            return !session.query("SELECT IS_FREE_LOCK(?)", row -> row.getBoolean(1), name)
                    .get(0);
        });
    }

    @Override
    public void forget(Lease lease) {
        NamedLockPosition position = kept.remove(lease);
        if (position != null) {
            position.leave();
        }
    }

    /**
     * The statements that release a lease; the first parameter of the second and third is the name of the queue. Without the
     * third, a release has to suppose that others wait.
     */
    public record ReleaseSql(
            String plain, String leaving, @Nullable String asking) {}

    /** @return whether a lease can be released without a position in the queue, by a statement that asks whether others wait */
    public boolean canAsk(Lease lease) {
        return !kept.containsKey(lease) && namedLocks.isInOrder();
    }

    /** Notes that a lease was released that has no position in the queue. */
    public void released(Lease lease, boolean waitedFor) {
        if (waitedFor) {
            contended.add(lease.key());
        }
    }

    /** Releases a lease, and leaves the queue with it or finds out whether there is one. @return how many rows matched */
    public int release(Lease lease, ReleaseSql sql, Object... parameters) {
        NamedLockPosition position = kept.remove(lease);
        if (position == null) {
            return database.call(null, false, releaseAsking(lease, sql, parameters));
        }
        if (position.hasWaited()) {
            contended.add(lease.key());
        }
        try {
            return position.leaveWith((session, name) -> session.update(sql.leaving(), with(name, parameters)))
                    .orElseGet(() -> releasePlainly(sql, parameters));
        } catch (SQLException e) {
            return releaseAgain(sql, parameters, e);
        }
    }

    private int releasePlainly(ReleaseSql sql, Object[] parameters) {
        return database.call(session -> session.update(sql.plain(), parameters));
    }

    /**
     * If there is nothing to release any more after a statement without an answer, it is unknown whether it did that or the
     * lease was lost. One that failed otherwise has released nothing.
     */
    private int releaseAgain(ReleaseSql sql, Object[] parameters, SQLException failure) {
        int rows = releasePlainly(sql, parameters);
        if (rows == 0 && SqlFailure.of(failure) == SqlFailure.NO_ANSWER) {
            throw SqlFailure.NO_ANSWER.exception(failure);
        }
        return rows;
    }

    private LockDatabase.Work<Integer> releaseAsking(Lease lease, ReleaseSql sql, Object[] parameters) {
        String asking = sql.asking();
        if (!namedLocks.isInOrder()) {
            return session -> session.update(sql.plain(), parameters);
        }
        if (asking == null) {
            contended.add(lease.key());
            return session -> session.update(sql.plain(), parameters);
        }
        return session -> {
            try {
                String name = new QueueName(table, lease.key()).in(session.schema());
                OptionalLong answer = session.updateReturning(asking, with(name, parameters));
                if (answer.orElse(FREE) != FREE) {
                    contended.add(lease.key());
                }
                return answer.isPresent() ? 1 : 0;
            } catch (SQLException e) {
                if (!SqlFailure.isRefusal(e)) {
                    throw e;
                }
                namedLocks.outOfOrder(e);
                return session.update(sql.plain(), parameters);
            }
        };
    }

    /**
     * Takes something for a newcomer, which must not overtake the queue of its key.
     *
     * @param unlessQueued the statement, whose last parameter is the name of the queue
     * @param anyway the statement if the server has no queues
     * @return the number that was generated; empty if no row matched
     */
    public OptionalLong unlessQueued(
            Session session, String key, String unlessQueued, String anyway, Object... parameters) throws SQLException {
        if (namedLocks.isInOrder()) {
            Object[] all = Arrays.copyOf(parameters, parameters.length + 1);
            all[parameters.length] = new QueueName(table, key).in(session.schema());
            try {
                return session.updateReturning(unlessQueued, all);
            } catch (SQLException e) {
                if (!SqlFailure.isRefusal(e)) {
                    throw e;
                }
                namedLocks.outOfOrder(e);
            }
        }
        return session.updateReturning(anyway, parameters);
    }

    private static Object[] with(String name, Object[] parameters) {
        Object[] all = new Object[parameters.length + 1];
        all[0] = name;
        System.arraycopy(parameters, 0, all, 1, parameters.length);
        return all;
    }

    boolean looksFree(LeaseRequest request) {
        try {
            return isFree.test(request);
        } catch (LockStoreException e) {
            log.debug("It could not be seen whether \"{}\" is free", Printable.of(request.key()), e);
            return true; // the attempt will say why
        }
    }
}
