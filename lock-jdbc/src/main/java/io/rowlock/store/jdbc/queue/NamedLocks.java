package io.rowlock.store.jdbc.queue;

import io.rowlock.store.LockStore;
import io.rowlock.store.jdbc.LockDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lines processes up that wait for a key, with the server's named locks ({@code GET_LOCK}): the server keeps the order and
 * wakes one, without anybody asking meanwhile. Who holds a key is never decided here. Where named locks are refused, or
 * all connections for waiting are in use, callers ask now and then instead. Thread-safe.
 *
 * @see LockStore#lineUp
 */
public final class NamedLocks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NamedLocks.class);
    private static final Duration OUT_OF_ORDER = Duration.ofMinutes(1);

    private final DataSource connections;
    private final int queryTimeoutSeconds;
    private final int places;
    private final Semaphore free;
    private final Semaphore keepable;
    private final ExecutorService workers;
    private volatile long outOfOrderSince;
    private volatile boolean outOfOrder;

    /**
     * @param connections a pool for those that wait, of its own: a place in the line keeps a connection
     * @param places how many places this process may have at a time, at most as many as the pool has connections
     * @param queryTimeout how long a statement other than the wait itself may take
     */
    public NamedLocks(DataSource connections, int places, Duration queryTimeout) {
        this.connections = connections;
        this.queryTimeoutSeconds = LockDatabase.wholeSeconds(queryTimeout);
        this.places = places;
        this.free = new Semaphore(places);
        this.keepable = new Semaphore(places / 2);
        AtomicInteger number = new AtomicInteger();
        this.workers = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "rowlock-line-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Joins the line. @return the place, unless none is to be had */
    Optional<NamedLockTicket> enter(LineName name, Duration patience) {
        if (!isInOrder() || !free.tryAcquire()) {
            return Optional.empty();
        }
        NamedLockTicket place = new NamedLockTicket(this, name, patience);
        try {
            workers.execute(place::line);
            return Optional.of(place);
        } catch (RejectedExecutionException e) {
            free.release();
            return Optional.empty();
        }
    }

    boolean isInOrder() {
        if (outOfOrder && System.nanoTime() - outOfOrderSince > OUT_OF_ORDER.toNanos()) {
            outOfOrder = false;
        }
        return !outOfOrder;
    }

    /** The server refuses named locks. */
    void outOfOrder(Exception why) {
        outOfOrderSince = System.nanoTime();
        if (!outOfOrder) {
            outOfOrder = true;
            log.info(
                    "The server refuses named locks, so waiting for locks is less fair and less quick: {}",
                    why.getMessage());
        }
    }

    /** @return how many places this process has in lines at the moment, each with a connection */
    public int placesInUse() {
        return places - free.availablePermits();
    }

    DataSource connections() {
        return connections;
    }

    int queryTimeoutSeconds() {
        return queryTimeoutSeconds;
    }

    /** @return whether one more holder may keep its place while it holds; not all, for others want to wait */
    boolean tryKeep() {
        return keepable.tryAcquire();
    }

    /** A place has given its connection back. */
    void left(boolean wasKept) {
        if (wasKept) {
            keepable.release();
        }
        free.release();
    }

    /** Breaks off a wait; the server notices at once or, at the latest, when the line has come to it. */
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
            log.debug("A wait in a line could not be broken off", e);
        }
    }

    /** Nobody lines up any more. Those that wait are woken when the connections are closed. */
    @Override
    public void close() {
        workers.shutdown();
    }
}
