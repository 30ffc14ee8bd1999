package io.rowlock.autoconfigure;

import io.rowlock.store.jdbc.TablePrefix;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** What can be found out about the lock tables, and the right to create them, without changing anything. */
final class LockTables {
    private static final int NO_SUCH_TABLE = 1146;

    private final DataSource dataSource;
    private final String prefix;

    LockTables(DataSource dataSource, TablePrefix prefix) {
        this.dataSource = dataSource;
        this.prefix = prefix.value();
    }

    boolean haveHistory() throws SQLException {
        return exists(prefix + "schema_history");
    }

    boolean exist() throws SQLException {
        return exists(prefix + "lock") && exists(prefix + "lock_log") && exists(prefix + "row");
    }

    /**
     * Makes sure that tables and views may be created. Both statements name a table that does not exist, so they never
     * create anything; the server looks at rights first.
     *
     * @throws SQLException if a right is missing
     */
    void requireCreateRights() throws SQLException {
        failsForLackOfTable("CREATE TABLE " + prefix + "schema_history LIKE " + prefix + "no_such_table");
        failsForLackOfTable("CREATE VIEW " + prefix + "locks_held AS SELECT * FROM " + prefix + "no_such_table");
    }

    private boolean exists(String table) throws SQLException {
        return !failsForLackOfTable("SELECT 1 FROM " + table + " LIMIT 0");
    }

    private boolean failsForLackOfTable(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return false;
        } catch (SQLException ex) {
            if (ex.getErrorCode() == NO_SUCH_TABLE) {
                return true;
            }
            throw ex;
        }
    }
}
