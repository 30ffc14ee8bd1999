package io.rowlock.store.jdbc.session;

import io.rowlock.store.DaemonThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives up connections. Changes no outcome that is known by then. A thread that lacks memory or stack may fail even in that: then another
 * one ends the connection, since otherwise its pool would lack it for good.
 */
public final class Connections {
    /** Some 25 kB of stack once compiled, and more before; a statement takes less than 10. */
    private static final int STACK_LEVELS = 400;

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private Connections() {}

    /**
     * Fails with a {@link StackOverflowError} now, before anything is acquired or sent, if the driver could run out of stack: an overflow
     * while it unlocks a lock of its own would leave that locked for good, and so cost a pool the connection.
     */
    public static void requireStack() {
        long unused = descend(STACK_LEVELS, 1, 2, 3, 4);
    }

    /** Needs all its arguments afterwards, so that each level keeps them on the stack. */
    private static long descend(int levels, long a, long b, long c, long d) {
        return levels == 0 ? a : descend(levels - 1, b, c, d, a) + a + b + c + d;
    }

    /** Closes a connection of a pool, or any other. */
    public static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            // a pool has taken note, or is being closed itself; anything else has closed it
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
    public static void giveBack(Connection connection, boolean useful) {
        try {
            if (useful) {
                close(connection);
            } else {
                discard(connection);
            }
        } catch (RuntimeException | Error e) {
            endElsewhere(() -> discard(connection));
            throw e;
        }
    }

    /**
     * Leaves the end of a connection, which has failed, to a thread of its own, which an error in the driver may leave waiting. It tries
     * until that works.
     */
    public static void endElsewhere(Runnable end) {
        DaemonThreads.named("rowlock-connection-end")
                .newThread(() -> {
                    while (!isEnded(end)) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                })
                .start();
    }

    private static boolean isEnded(Runnable end) {
        try {
            end.run();
            return true;
        } catch (RuntimeException | Error e) {
            return false;
        }
    }
}
