package io.rowlock.autoconfigure.database;

import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.ServerVersion;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Finds out about the lock tables, and the right to create them, without changing anything. */
record LockTables(DataSource dataSource, TablePrefix prefix) {
    private static final int NO_SUCH_TABLE = 1146;
    private static final int NO_SUCH_COLUMN = 1054;

    /** The version of a schema before the first migration. */
    static final String BASELINE = "0";

    /**
     * Opens the first connection, before anything is said of the tables.
     *
     * @throws SQLException if the server cannot be reached
     * @throws RowlockSetupException if it is known to be unfit
     */
    void requireSupportedVersion() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            requireSupportedVersion(connection);
        }
    }

    private static void requireSupportedVersion(Connection connection) throws SQLException {
        ServerVersion version = ServerVersion.parse(connection.getMetaData().getDatabaseProductVersion());
        version.unfitBecause().ifPresent(why -> {
            throw SchemaFailure.unfit(version, why);
        });
    }

    /**
     * Returns true if the history has the migrations of this release, each as it is, and nothing else. It is what one statement tells,
     * and false of all that is unexpected: Flyway then finds out what it means.
     *
     * @throws SQLException if the server cannot be reached, or there is no history, or the tables are a snapshot's
     * @throws RowlockSetupException if the server is known to be unfit
     */
    boolean areCurrent() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            requireSupportedVersion(connection);
            try (ResultSet rows = statement.executeQuery(
                    "SELECT CONCAT_WS(' ', type, version, checksum, success) FROM %1$sschema_history WHERE NOT EXISTS (SELECT created_on FROM %1$srow WHERE 1 = 0) AND NOT EXISTS (SELECT 1 FROM %1$slock, %1$slock_log WHERE 1 = 0) ORDER BY installed_rank"
                            .formatted(prefix.value()))) {
                List<String> history = new ArrayList<>();
                while (rows.next()) {
                    history.add(rows.getString(1));
                }
                // The first row of a history in a schema that had other tables
                history.remove("BASELINE " + BASELINE + " 1");
                return history.equals(LockMigration.ALL.stream()
                        .map(each -> "SQL %s %s 1".formatted(each.version(), each.checksum()))
                        .toList());
            }
        }
    }

    boolean haveHistory() throws SQLException {
        return exists("1", "schema_history");
    }

    boolean exist() throws SQLException {
        // The first and the last that the script creates: those between them are there, too. Not the view: it needs no
        // right
        return exists("created_on", "row") && exists("1", "lock_log");
    }

    /**
     * Makes sure that no snapshot from before the first release created the tables. The script creates the row table before the
     * lock table, so one that another node creates at the moment is not mistaken for a snapshot's.
     *
     * @throws RowlockSetupException if one did
     */
    void requireNoneOfASnapshot() throws SQLException {
        if (exists("1", "lock") && !exists("created_on", "row")) {
            throw SchemaFailure.ofSnapshot(prefix);
        }
    }

    /**
     * Makes sure that tables and views may be created and changed. Every statement names a table that does not exist, so
     * none creates or changes anything; the server looks at rights first.
     *
     * @throws SQLException if a right is missing
     * @throws LockStoreException if the server is read-only, though this user may write to it
     */
    void requireDdlRights() throws SQLException {
        failsForLackOfTable("CREATE TABLE %1$snew_table LIKE %1$sno_such_table");
        failsForLackOfTable("ALTER TABLE %1$sno_such_table COMMENT = ''");
        failsForLackOfTable("CREATE OR REPLACE VIEW %1$slocks_held AS SELECT * FROM %1$sno_such_table");
        new LockDatabase(dataSource, 1, Duration.ofSeconds(3)).requireWrites("DO 0");
    }

    private boolean exists(String column, String table) throws SQLException {
        return !failsForLackOfTable("SELECT " + column + " FROM %1$s" + table + " WHERE 1 = 0");
    }

    /** @param sql with a place for the tables' prefix */
    private boolean failsForLackOfTable(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql.formatted(prefix.value()));
            return false;
        } catch (SQLException ex) {
            if (ex.getErrorCode() == NO_SUCH_TABLE || ex.getErrorCode() == NO_SUCH_COLUMN) {
                return true;
            }
            throw ex;
        }
    }
}
