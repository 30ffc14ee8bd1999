package io.rowlock.cluster;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * While it is open, one server does not get to know what others commit: it has to apply a change of a table first that a session
 * keeps for itself, and servers apply in order.
 */
final class Lag implements AutoCloseable {
    private final Connection session;
    private final Statement statement;

    private Lag(Connection session) throws SQLException {
        this.session = session;
        this.statement = session.createStatement();
    }

    /** Once, before the first. The table must have come to all servers. */
    static void prepare(DataSource any) {
        JdbcTemplate sql = new JdbcTemplate(any);
        sql.execute("CREATE TABLE ballast (id INT PRIMARY KEY, number INT NOT NULL)");
        sql.execute("CREATE TABLE sign (id INT PRIMARY KEY, number INT NOT NULL)");
        sql.update("INSERT INTO ballast VALUES (1, 0)");
        sql.update("INSERT INTO sign VALUES (1, 0)");
    }

    static Lag of(DataSource late, DataSource other) throws SQLException {
        awaitSame(late, other);
        Lag lag = new Lag(late.getConnection());
        lag.statement.execute("FLUSH TABLES ballast WITH READ LOCK");
        JdbcTemplate there = new JdbcTemplate(other);
        there.update("UPDATE ballast SET number = number + 1");
        there.update("UPDATE sign SET number = number + 1");
        return lag;
    }

    private static void awaitSame(DataSource late, DataSource other) {
        JdbcTemplate there = new JdbcTemplate(other);
        there.update("UPDATE sign SET number = number + 1");
        Integer newest = there.queryForObject("SELECT number FROM sign", Integer.class);
        Awaitility.await()
                .until(() -> new JdbcTemplate(late)
                        .queryForList("SELECT number FROM sign", Integer.class)
                        .contains(newest));
    }

    @Override
    public void close() {
        try (session;
                statement) {
            statement.execute("UNLOCK TABLES");
        } catch (SQLException e) {
            throw new IllegalStateException("The server stays late", e);
        }
    }
}
