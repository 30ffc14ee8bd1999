package io.rowlock.test.database;

import com.mysql.cj.jdbc.MysqlDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * A schema on a {@link DatabaseServer} that belongs to one test.
 *
 * @param name the schema's name, unique on its server
 * @param jdbcUrl a URL for MySQL Connector/J, on MariaDB too; without user and password
 * @param username a user who may do everything in this schema
 * @param password that user's password, possibly empty
 */
public record TestSchema(String name, String jdbcUrl, String username, String password) implements AutoCloseable {

    /** A data source that opens a session each time. Wrap it in a pool where the test needs one. */
    public DataSource dataSource() {
        MysqlDataSource dataSource = new MysqlDataSource();
        try {
            dataSource.setSocketFactory(PatientLogin.class.getName());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        dataSource.setUrl(jdbcUrl);
        dataSource.setUser(username);
        dataSource.setPassword(password);
        return dataSource;
    }

    /** Creates Rowlock's tables with the default prefix; harmless if they are there, or if no migration is on the path. */
    public TestSchema migrate() {
        RowlockTables.createIn(dataSource());
        return this;
    }

    /** Removes the schema with all that is in it. Doing it twice is harmless. */
    public void drop() {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP DATABASE IF EXISTS " + name);
        } catch (SQLException e) {
            if (e.getErrorCode() != 1049) { // unknown database: it is gone already
                throw new IllegalStateException("Schema " + name + " could not be dropped", e);
            }
        }
    }

    /** The same as {@link #drop()}, for try-with-resources. */
    @Override
    public void close() {
        drop();
    }

    /** Leaves the password out. */
    @Override
    public String toString() {
        return jdbcUrl + " as " + username;
    }
}
