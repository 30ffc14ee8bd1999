package io.rowlock.store.jdbc.session;

import java.sql.Connection;
import java.sql.SQLException;

/** How a connection is given up, whatever it was used for. Changes no outcome that is known by then. */
public final class Connections {
    private Connections() {}

    /** Closes a connection of a pool, or any other. */
    public static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // a pool has taken note, anything else has closed it
        }
    }

    /** Ends a connection without asking the server, and whatever waits for an answer on it. Not that of a pool, which may ignore it. */
    public static void abort(Connection physical) {
        try {
            physical.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // what was to be ended has ended
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
            // what was to be ended has ended
        }
    }
}
