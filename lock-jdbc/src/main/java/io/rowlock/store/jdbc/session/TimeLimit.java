package io.rowlock.store.jdbc.session;

import io.rowlock.LockStoreException;
import java.time.Duration;

/**
 * When an answer must be there, whatever the database and the network do: the caller's patience, and one query time-out on
 * top for the last question. A statement that is not answered by then is given up, with its connection.
 *
 * @param end a reading of {@link System#nanoTime}
 */
public record TimeLimit(long end) {
    public static TimeLimit after(Duration patience, Duration queryTimeout) {
        // The keys of one request are asked for one by one
        Duration left = patience.isNegative() ? Duration.ZERO : patience;
        return new TimeLimit(System.nanoTime() + left.plus(queryTimeout).toNanos());
    }

    /**
     * Returns the longest wait for an answer. After a wait in vain the connection is closed, and if it is encrypted, the platform
     * reads from it once more, for as long again.
     *
     * @throws LockStoreException if there is no time for a statement any more
     */
    public Duration forAnswer() {
        long left = end - System.nanoTime();
        if (left < 1_000_000) {
            throw new LockStoreException(
                    "The lock store failed: timed out waiting for a connection; look at the network, the server's load and"
                            + " rowlock.pool.size",
                    null);
        }
        return Duration.ofNanos(left / 2 + 1_000_000); // dividedBy makes a BigDecimal, at each acquire
    }
}
