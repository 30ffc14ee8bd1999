package io.rowlock.verification.fault;

import java.sql.Connection;
import java.sql.SQLException;

/** The end of a session by an operator. */
final class SessionKill {
    /** Number and client's port of each but the operator's own; one that has not said yet who it is has no port. */
    static final String SESSIONS = """
            SELECT CONCAT(id, ' ', SUBSTRING_INDEX(host, ':', -1)) FROM information_schema.processlist
            WHERE db = DATABASE() AND id <> CONNECTION_ID() AND host LIKE '%:%'""";

    private SessionKill() {}

    static void happen(Connection operator, Scene scene, String session) {
        String[] parts = session.split(" ", -1);
        int port = Integer.parseInt(parts[1]);
        scene.rowLocks().forEach(sessions -> sessions.end(port));
        try {
            Database.execute(operator, "KILL " + parts[0]);
        } catch (SQLException e) {
            // it has ended by itself
        }
    }
}
