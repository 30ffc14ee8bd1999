package io.rowlock.store.jdbc.session;

import io.rowlock.store.DaemonThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Gives up connections. Changes no outcome that is known by then. A thread that lacks memory or stack may fail even in that: then the
 * next one that comes by ends the connection, since otherwise its pool would lack it for good. Thread-safe.
 */
public final class Connections {
    /** The end of a connection asks no server. */
    private static final Duration USUALLY_ENDED = Duration.ofSeconds(1);

    private final Queue<Connection> failed = new ConcurrentLinkedQueue<>();

    /** Closes a connection of a pool, or any other. */
    public static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // a pool has taken note, anything else has closed it
        }
    }

    /** Ends a connection without asking the server, and any wait for an answer on it. Not that of a pool, which may ignore it. */
    public static void abort(Connection physical) {
        try {
            physical.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // it has ended
        }
    }

    /** Ends a connection without asking the server, and has its pool drop it. */
    public static void discard(Connection connection) {
        spoil(connection);
        close(connection);
    }

    /** Ends a connection that others will close, and has its pool drop it then. */
    public static void spoil(Connection connection) {
        try {
            connection.abort(Runnable::run);
            connection.rollback(); // fails, and so the pool notes that this connection is of no use any more
        } catch (SQLException e) {
            // it has ended
        }
    }

    /** Gives one back to its pool, for others to use; or ends it if it is of no use any more. */
    public void giveBack(Connection connection, boolean useful) {
        try {
            if (useful) {
                close(connection);
            } else {
                discard(connection);
            }
        } catch (RuntimeException | Error e) {
            failed.add(connection);
            throw e;
        }
    }

    /** Ends those that could not be given back before, each on a thread of its own, which an error in the driver may leave waiting. */
    public void again() {
        for (Connection each = failed.poll(); each != null; each = failed.poll()) {
            Connection broken = each;
            Thread ending = DaemonThreads.named("rowlock-connection-end").newThread(() -> giveBack(broken, false));
            ending.start();
            try {
                ending.join(USUALLY_ENDED.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
