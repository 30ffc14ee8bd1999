package io.rowlock.store.jdbc.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.DaemonThreads;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Refusals;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues the processes that wait for a key, with the server's named locks ({@code GET_LOCK}): the server keeps the order and
 * wakes one, and no process polls meanwhile. They never decide which process holds a key. Where named locks are refused, or
 * all connections for waiting are in use, waiters poll instead. Thread-safe.
 *
 * @see WaitQueue#join
 */
public final class NamedLocks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NamedLocks.class);
    private static final Duration SLACK = Duration.ofSeconds(5);

    private final DataSource connections;
    private final int queryTimeoutSeconds;
    private final int positions;
    private final Semaphore free;
    private final Semaphore keepable;
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
        this.queryTimeoutSeconds = LockDatabase.wholeSeconds(queryTimeout);
        this.positions = positions;
        this.free = new Semaphore(positions);
        this.keepable = new Semaphore(positions / 2);
        this.workers = Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-queue"));
    }

    /** Starts a worker, which waits for a position. @return false if none is left */
    boolean enter(Runnable worker) {
        if (!isInOrder() || !free.tryAcquire()) {
            return false;
        }
        try {
            workers.execute(worker);
            return true;
        } catch (RejectedExecutionException e) {
            free.release();
            return false;
        }
    }

    boolean isInOrder() {
        return excluding && refusals.isInOrder();
    }

    /** Named locks turned out to exclude nobody, as behind a proxy that shares sessions: waiters poll from now on. */
    public void excludeNobody() {
        excluding = false;
        log.warn(
                "Named locks of the server exclude nobody, perhaps because a proxy shares sessions: waiters poll instead");
    }

    /** The server refuses named locks. */
    void outOfOrder(Exception why) {
        if (refusals.refused()) {
            log.info(
                    "The server refuses named locks, so waiting for locks is less fair and less quick: {}",
                    why.getMessage());
        }
    }

    /** @return how many positions this process has in queues at the moment, each with a connection */
    public int positionsInUse() {
        return positions - free.availablePermits();
    }

    DataSource connections() {
        return connections;
    }

    /** Waits in the server until the named lock is free. @return false if the time is over */
    boolean getLock(Connection waiting, QueueName name, Duration patience) throws SQLException {
        waiting.setNetworkTimeout(
                Runnable::run, Math.toIntExact(patience.plus(SLACK).toMillis()));
        try (PreparedStatement statement = waiting.prepareStatement("SELECT GET_LOCK(?, ?)")) {
            statement.setString(1, name.in(waiting.getCatalog()));
            statement.setLong(2, patience.toSeconds());
            try (ResultSet answer = statement.executeQuery()) {
                return answer.next() && answer.getInt(1) == 1;
            }
        }
    }

    void releaseLock(Connection first, QueueName name) throws SQLException {
        limitNetwork(first);
        try (PreparedStatement statement = first.prepareStatement("DO RELEASE_LOCK(?)")) {
            statement.setString(1, name.in(first.getCatalog()));
            statement.executeUpdate();
        }
    }

    /** Limits how long the next answer may take. @return false if the connection is of no use any more */
    boolean isUsable(Connection first) {
        try {
            limitNetwork(first);
            return true;
        } catch (SQLException e) {
            log.debug("A position in a queue was lost before it was left", e);
            return false;
        }
    }

    private void limitNetwork(Connection first) throws SQLException {
        first.setNetworkTimeout(Runnable::run, queryTimeoutSeconds * 1_000);
    }

    /** @return whether one more holder may keep its position until it releases; the rest is left to waiters */
    boolean tryKeep() {
        return keepable.tryAcquire();
    }

    /** A holder has left the queue. */
    void noLongerKept() {
        keepable.release();
    }

    /** A worker has returned its connection. */
    void left() {
        free.release();
    }

    /** Breaks off a wait; the server notices at once or, at the latest, when the position would be the first. */
    void breakOff(Connection waiting) {
        try {
            workers.execute(() -> abort(waiting));
        } catch (RejectedExecutionException e) {
            abort(waiting);
        }
    }

    private static void abort(Connection waiting) {
        try {
            waiting.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("A wait in a queue could not be broken off", e);
        }
    }

    /** Ends queueing. Waiters wake up when the connections are closed. */
    @Override
    public void close() {
        workers.shutdown();
    }

    /**
     * The named lock behind the queue of a key. Named locks are the server's, not a schema's, and take 64 characters of
     * which case does not count; so schema, table and key go into a hash.
     */
    public record QueueName(String table, String key) {
        /** The beginning of the named locks of queues. */
        public static final String PREFIX = "rowlock:";

        /** The hexadecimal digits of the hash that follow. */
        public static final int HASH_DIGITS = 40;

        /** Only copied: to look one up takes longer than to use it. */
        private static final MessageDigest SHA_256 = newSha256();

        public String in(String schema) {
            byte[] hash = sha256((before(schema, table) + key).getBytes(UTF_8));
            return PREFIX + HexFormat.of().formatHex(hash, 0, HASH_DIGITS / 2);
        }

        /** @return what the hashed text has before the key */
        public static String before(String schema, String table) {
            return schema + '/' + table + '/';
        }

        private static byte[] sha256(byte[] text) {
            try {
                return ((MessageDigest) SHA_256.clone()).digest(text);
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException("The platform's digests can be copied", e);
            }
        }

        private static MessageDigest newSha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("Every Java platform has SHA-256", e);
            }
        }
    }
}
