package io.rowlock.store.jdbc.rowlock;

import io.rowlock.store.Backoff;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore.Renewal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A lease and the connection whose transaction it is. One statement at a time; once one has failed the connection is gone. Thread-safe. */
final class HeldRowLock {
    /** The server counts in whole seconds, from later than we do. */
    private static final long GRACE = TimeUnit.SECONDS.toNanos(2);

    private final Lease lease;
    private final long nonce;
    private final RowLockConnection connection;
    private final ReentrantLock inUse = new ReentrantLock();
    private volatile long silentSince;

    /** When a lock is to be released that is not used any more; null while it is. */
    private volatile @Nullable Long keptUntil;

    HeldRowLock(Lease lease, long nonce, RowLockConnection connection) {
        this.lease = lease;
        this.nonce = nonce;
        this.connection = connection;
        this.silentSince = System.nanoTime();
    }

    Lease lease() {
        return lease;
    }

    long sessionId() {
        return connection.id();
    }

    boolean isOf(LeaseRequest request) {
        return lease.key().equals(request.key()) && lease.mode() == request.mode() && nonce == request.nonce();
    }

    /** The server has ended the session by now, since it has been silent for longer than its time. */
    boolean hasExpired() {
        return System.nanoTime() - silentSince > TimeUnit.SECONDS.toNanos(connection.idleLimit()) + GRACE;
    }

    /** Notes that it is not used any more, and is to be released after that long. @return false if that was noted before */
    synchronized boolean keepFor(Duration rest) {
        boolean first = keptUntil == null;
        keptUntil = first ? (Long) (System.nanoTime() + rest.toNanos()) : keptUntil;
        return first;
    }

    /** Returns whether it is not used any more, and only kept for some time. */
    boolean isKept() {
        return keptUntil != null;
    }

    /** Returns how long it lasts if nothing more is done for it: until it is released, or the server ends a session that is silent. */
    Duration remaining() {
        Long kept = keptUntil;
        long end = kept == null ? silentSince + TimeUnit.SECONDS.toNanos(connection.idleLimit()) : kept;
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /**
     * Checks whether the session that acquired the lock still lives, and so its transaction, which begins the time of silence anew.
     *
     * @param seconds makes that time longer if it was shorter, unless the lock is only kept; 0 to leave it
     */
    Renewal renew(int seconds, Duration limit) {
        if (!begin(limit)) {
            return Renewal.UNKNOWN;
        }
        try {
            return isAnswered(seconds, limit) ? Renewal.RENEWED : Renewal.LOST;
        } finally {
            inUse.unlock();
        }
    }

    /** Returns false if the lock can no longer be proven, for whatever reason; then the connection is gone. */
    private boolean isAnswered(int seconds, Duration limit) {
        boolean same = false;
        try {
            connection.within(limit);
            if (seconds > connection.idleLimit() && !isKept()) {
                connection.endAfterSilenceOf(seconds);
            }
            same = connection.answers();
            silentSince = System.nanoTime();
        } catch (SQLException e) {
            // it is discarded
        } finally {
            if (!same) {
                connection.discard();
            }
        }
        return same;
    }

    /** @return false if the connection was gone, or is now because it did not answer */
    boolean release(Duration limit) {
        if (!begin(limit)) {
            discard();
            return false;
        }
        try {
            connection.commit(limit);
            return true;
        } catch (SQLException e) {
            return false;
        } finally {
            inUse.unlock();
        }
    }

    /** Closes the connection from outside, whatever it is doing. */
    void discard() {
        connection.discard();
    }

    /** Waits until the connection is free, also after an interrupt, which is for the program: a lock is not lost because of it. */
    private boolean begin(Duration limit) {
        boolean begun = inUse.tryLock();
        for (long end = System.nanoTime() + limit.toNanos(); !begun && end - System.nanoTime() > 0; ) {
            Backoff.pauseUninterrupted(Duration.ofMillis(1));
            begun = inUse.tryLock();
        }
        return begun;
    }
}
