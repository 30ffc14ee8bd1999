package io.rowlock.store.jdbc.session;

import io.rowlock.store.DaemonThreads;
import java.sql.Connection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Gives connections back to their pool. A thread whose stack has overflowed, or that lacks memory, may fail even in that: then the next
 * one that comes by ends the connection. Without an end the pool would lack it for good. Thread-safe.
 */
public final class Returns {
    /** The end of a connection asks no server. */
    private static final Duration USUALLY_ENDED = Duration.ofSeconds(1);

    private final Queue<Connection> failed = new ConcurrentLinkedQueue<>();

    /** Gives one back that others may use. */
    void giveBack(Connection connection) {
        try {
            Connections.close(connection);
        } catch (RuntimeException | Error e) {
            failed.add(connection);
            throw e;
        }
    }

    /** Ends one that nobody may use any more. */
    public void discard(Connection connection) {
        try {
            Connections.discard(connection);
        } catch (RuntimeException | Error e) {
            failed.add(connection);
            throw e;
        }
    }

    /**
     * Ends those that could not be given back before, on threads of their own: an error in the driver may have left its lock on the
     * connection with a thread that has ended, so that whoever touches the connection waits for ever.
     */
    public void again() {
        for (Connection each = failed.poll(); each != null; each = failed.poll()) {
            Connection broken = each;
            Thread ending = DaemonThreads.named("rowlock-connection-end").newThread(() -> discard(broken));
            ending.start();
            try {
                ending.join(USUALLY_ENDED.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
