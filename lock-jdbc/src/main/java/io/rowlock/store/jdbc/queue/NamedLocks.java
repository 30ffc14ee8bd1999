package io.rowlock.store.jdbc.queue;

import io.rowlock.store.DaemonThreads;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Refusals;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
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

    private final DataSource connections;
    private final int queryTimeoutSeconds;
    private final int tickets;
    private final Semaphore free;
    private final Semaphore keepable;
    private final ExecutorService workers;
    private final Refusals refusals = new Refusals();
    private volatile boolean excluding = true;

    /**
     * @param connections a pool for waiters alone: a ticket keeps a connection
     * @param tickets how many tickets this process may have at a time, at most as many as the pool has connections
     * @param queryTimeout how long a statement other than the wait itself may take
     */
    public NamedLocks(DataSource connections, int tickets, Duration queryTimeout) {
        this.connections = connections;
        this.queryTimeoutSeconds = LockDatabase.wholeSeconds(queryTimeout);
        this.tickets = tickets;
        this.free = new Semaphore(tickets);
        this.keepable = new Semaphore(tickets / 2);
        this.workers = Executors.newCachedThreadPool(DaemonThreads.numbered("rowlock-queue"));
    }

    /** Joins the queue. @return the ticket; empty if there is none left */
    Optional<NamedLockTicket> enter(QueueName name, Duration patience) {
        if (!isInOrder() || !free.tryAcquire()) {
            return Optional.empty();
        }
        NamedLockTicket ticket = new NamedLockTicket(this, name, patience);
        try {
            workers.execute(ticket::queueUp);
            return Optional.of(ticket);
        } catch (RejectedExecutionException e) {
            free.release();
            return Optional.empty();
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

    /** @return how many tickets this process has in queues at the moment, each with a connection */
    public int ticketsInUse() {
        return tickets - free.availablePermits();
    }

    DataSource connections() {
        return connections;
    }

    int queryTimeoutSeconds() {
        return queryTimeoutSeconds;
    }

    /** @return whether one more holder may keep its ticket until it releases; the rest is left to waiters */
    boolean tryKeep() {
        return keepable.tryAcquire();
    }

    /** A ticket has returned its connection. */
    void left(boolean wasKept) {
        if (wasKept) {
            keepable.release();
        }
        free.release();
    }

    /** Breaks off a wait; the server notices at once or, at the latest, when the ticket would be the first. */
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
}
