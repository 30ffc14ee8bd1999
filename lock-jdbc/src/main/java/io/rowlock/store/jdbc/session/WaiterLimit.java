package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import io.rowlock.store.ConnectionsInUseException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many threads that wait for locks may use connections at a time, first come, first served. The rest of the pool is left
 * to renewals and releases. Also knows whether the database answers, to distinguish a full pool from an outage.
 * Thread-safe.
 */
public final class WaiterLimit {
    /** A healthy server answers within this, even if the statement waits for a row lock until its time-out. */
    public static final long SILENCE = Duration.ofSeconds(2).toNanos();

    /** A thread looks at its deadline, and at the database, that often. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(1);

    private static final int REST = 4;

    private final int connections;
    private final Semaphore free;
    private final AtomicInteger users = new AtomicInteger();
    private final long longestNanos;
    private volatile long lastAnswer = System.nanoTime() - SILENCE - 1;
    private volatile long askedSince;
    private volatile @Nullable LockStoreException unreachable;

    /** @param connections how many the pool has */
    WaiterLimit(int connections, Duration queryTimeout) {
        int all = Math.max(1, connections);
        this.connections = Math.max(1, all - Math.max(1, all / REST));
        this.free = new Semaphore(this.connections, true);
        this.longestNanos = Math.min(LONGEST_TURN.toNanos(), queryTimeout.toNanos() / 2);
    }

    /**
     * Waits for a turn, which {@link #leave} ends.
     *
     * @throws ConnectionsInUseException if others had all turns for long enough, or the thread was interrupted, which it is
     *     again then
     * @throws LockStoreException if the database does not answer the threads that have the turns
     */
    void enter() {
        if (users.getAndIncrement() == 0) {
            askedSince = System.nanoTime(); // before there was no statement to be answered
        }
        boolean entered = false;
        try {
            boolean first = !free.hasQueuedThreads();
            entered = (first && free.tryAcquire()) || free.tryAcquire(longestNanos, TimeUnit.NANOSECONDS);
            if (!entered) {
                throw notEntered();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConnectionsInUseException(
                    "The lock store failed: the thread was interrupted while it waited for a connection",
                    e,
                    false,
                    true);
        } finally {
            if (!entered) {
                users.decrementAndGet();
            }
        }
    }

    void leave() {
        free.release();
        users.decrementAndGet();
    }

    /** The database answered a statement, or refused to carry it out. */
    void answered() {
        lastAnswer = System.nanoTime();
        if (unreachable != null) {
            unreachable = null;
        }
    }

    /** No connection could be opened. */
    void unreachable(LockStoreException why) {
        unreachable = why;
    }

    private LockStoreException notEntered() {
        long now = System.nanoTime();
        boolean silent = now - lastAnswer > SILENCE && now - askedSince > SILENCE;
        if (silent || unreachable != null) {
            return new LockStoreException(
                    "The lock store failed: the database does not answer; look at the network and the server's load",
                    unreachable);
        }
        return new ConnectionsInUseException(
                "The lock store failed: other waiters use all %d connections left to waiters; raise rowlock.pool.size"
                        .formatted(connections),
                null,
                databaseAnswers(),
                true);
    }

    /** Whether the database answered a moment ago. */
    boolean databaseAnswers() {
        return unreachable == null && System.nanoTime() - lastAnswer <= SILENCE;
    }
}
