package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.session.JdbcText.key;

import io.rowlock.Printable;
import io.rowlock.store.DaemonThreads;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.jdbc.session.Connections;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.ConnectionCallback;

/**
 * Queues the processes that wait for a key, with the server's named locks ({@code GET_LOCK}): the server keeps the order and
 * wakes one. The first one looks often if the holder has no position, the others once in two seconds. They never decide which process
 * holds a key. Where named locks are refused, or all connections for waiting are in use, waiters poll instead. Thread-safe.
 *
 * @see WaitQueue#join
 */
public final class NamedLocks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NamedLocks.class);

    /** The server ends a wait when its time is over; the connection is given up if no answer comes so long after that. */
    private static final Duration SLACK = Duration.ofSeconds(5);

    private final DataSource connections;
    private final Duration queryTimeout;
    final Semaphore free;
    /** The positions that holders may keep until they release; the rest is left to waiters. */
    final Semaphore keepable;

    private final ExecutorService workers;
    private final Refusals refusals = new Refusals();
    private volatile boolean excluding = true;

    /**
     * @param connections a pool for waiters alone: a position keeps a connection
     * @param positions how many positions this process may have at a time, at most as many as the pool has connections
     * @param queryTimeout how long a statement other than the wait itself may take
     */
    public NamedLocks(DataSource connections, int positions, Duration queryTimeout) {
        this.connections = connections;
        this.queryTimeout = Duration.ofSeconds(LockDatabase.wholeSeconds(queryTimeout));
        this.free = new Semaphore(positions);
        this.keepable = new Semaphore(positions / 2);
        this.workers = Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-queue"));
    }

    /**
     * Names the lock behind the queue of a key, as SQL. Named locks are the server's, not a schema's, and take 64 characters of which
     * case does not count; so schema, table and key go into a hash.
     *
     * @param table the table of the leases
     * @param key the bytes of the key, as SQL
     */
    static String name(String table, String key) {
        return "CONCAT('rowlock:', LEFT(SHA2(CONCAT(CAST(DATABASE() AS BINARY), '/%s/', %s), 256), 40))"
                .formatted(table, key);
    }

    /**
     * Starts a worker with a connection, which waits for a position.
     *
     * @param work what the worker does with its connection; returns whether another worker may use it
     * @param end called when the worker has returned its connection
     * @return false if no worker is left
     */
    boolean enter(String key, ConnectionCallback<Boolean> work, Runnable end) {
        if (!isInOrder() || !free.tryAcquire()) {
            return false;
        }
        try {
            workers.execute(() -> run(key, work, end));
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // closed, or no memory for a thread
            free.release();
            return false;
        }
    }

    private void run(String key, ConnectionCallback<Boolean> work, Runnable end) {
        try {
            Connection mine = connections.getConnection();
            boolean reusable = false;
            try {
                reusable = work.doInConnection(mine);
            } finally {
                // It might be closed under the next worker, as a wait that is broken off
                Connections.giveBack(mine, reusable);
            }
        } catch (SQLException e) {
            log.debug("A position in the queue for \"{}\" was lost", Printable.of(key), e);
            if (SqlFailure.isRefusal(e)) {
                outOfOrder(e);
            }
        } finally {
            free.release();
            end.run();
        }
    }

    boolean isInOrder() {
        return excluding && refusals.isInOrder();
    }

    /** Notes that the server refuses named locks. @throws SQLException if that is not what it means */
    void requireRefusal(SQLException error) throws SQLException {
        if (!SqlFailure.isRefusal(error)) {
            throw error;
        }
        outOfOrder(error);
    }

    /** Named locks turned out to exclude nobody, as behind a proxy that shares sessions: waiters poll from now on. */
    public void excludeNobody() {
        excluding = false;
        log.warn(
                "Named locks of the server exclude nobody, perhaps because a proxy shares sessions: waiters poll instead");
    }

    /** The server refuses named locks. */
    private void outOfOrder(Exception why) {
        if (refusals.refused()) {
            log.info(
                    "The server refuses named locks, so waiting for locks is less fair and less quick: {}",
                    Printable.of(String.valueOf(why.getMessage())));
        }
    }

    /** Waits in the server until the named lock is free. @return false if the time is over */
    boolean await(Connection waiting, String statement, String key, Duration patience) throws SQLException {
        limitNetwork(waiting, patience.plus(SLACK));
        return new Session(waiting, 0)
                .number(statement, key(key), patience.toSeconds())
                .equals(OptionalLong.of(1));
    }

    /** Leaves the queue. @return how many rows matched */
    int leave(Connection first, String statement, Object... parameters) throws SQLException {
        limitNetwork(first, queryTimeout);
        Session session = new Session(first, 0);
        try {
            return session.update(statement, parameters);
        } finally {
            if (!session.isAnswered()) {
                Connections.spoil(first);
            }
        }
    }

    /** @throws SQLException if the connection has ended: not one that means no answer, since nothing was sent */
    private static void limitNetwork(Connection connection, Duration limit) throws SQLException {
        try {
            connection.setNetworkTimeout(Runnable::run, Math.toIntExact(limit.toMillis()));
        } catch (SQLException e) {
            throw new SQLException("The connection of a position in a queue has ended", e);
        }
    }

    /** Breaks off a wait; the server notices at once or, at the latest, when the position would be the first. */
    void breakOff(Connection waiting) {
        try {
            workers.execute(() -> Connections.abort(waiting));
        } catch (RejectedExecutionException | OutOfMemoryError e) { // closed, or no memory for a thread
            Connections.abort(waiting);
        }
    }

    /** Ends queueing. Waiters wake up when the connections are closed. */
    @Override
    public void close() {
        workers.shutdown();
    }
}
