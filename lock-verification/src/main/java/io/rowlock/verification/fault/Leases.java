package io.rowlock.verification.fault;

import java.sql.Connection;
import java.sql.SQLException;

/** Rows of leases that an operator ends by hand. */
final class Leases {
    private static final String LONG_HELD = """
            SELECT CONCAT(owner, ' ', fence, ' ', CONVERT(lock_key USING utf8mb4)) FROM %s
            WHERE CONVERT(lock_key USING utf8mb4) REGEXP '^(lease|unique-key):' AND owner <> '' AND expires_at > UTC_TIMESTAMP(6)
            AND acquired_at < UTC_TIMESTAMP(6) - INTERVAL 50000 MICROSECOND""";

    private Leases() {}

    static void force(Connection operator, Scene scene) throws SQLException {
        force(
                operator,
                scene,
                "rowlock_lock",
                "UPDATE rowlock_lock SET expires_at = '1970-01-01', owner = '' WHERE lock_key = '%s' AND slot = 0 AND fence = %s"
                        + " AND expires_at > '1970-01-01'");
        force(
                operator,
                scene,
                "rowlock_unique_key",
                "DELETE FROM rowlock_unique_key WHERE lock_key = '%s' AND fence = %s");
    }

    private static void force(Connection operator, Scene scene, String table, String statement) throws SQLException {
        for (String row : Database.texts(operator, LONG_HELD.formatted(table))) {
            String[] parts = row.split(" ", -1);
            scene.forced(parts[0], parts[2]);
            Database.execute(operator, statement.formatted(parts[2], parts[1]));
        }
    }
}
