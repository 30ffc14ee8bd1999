package io.rowlock.benchmark.server;

import com.mysql.cj.jdbc.MysqlDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Counts the statements all clients send to the server, by {@code SHOW GLOBAL STATUS LIKE 'Questions'}: each statement
 * executed, commits and session settings included, but not pings and preparations. Right only if no other program uses
 * the server. Used by one thread.
 */
public final class StatementCounter implements AutoCloseable {
    private final Connection connection;
    private final PreparedStatement questions;
    private long asked;

    /**
     * @param servers where the database is
     * @throws SQLException if it cannot be asked
     */
    public StatementCounter(Servers servers) throws SQLException {
        connection = connect(servers);
        questions = connection.prepareStatement("SHOW GLOBAL STATUS LIKE 'Questions'");
    }

    /**
     * @param servers where the database is
     * @return a session outside all pools
     * @throws SQLException if it cannot be opened
     */
    public static Connection connect(Servers servers) throws SQLException {
        MysqlDataSource source = new MysqlDataSource();
        source.setUrl(servers.jdbcUrl());
        source.setUser(servers.username());
        source.setPassword(servers.password());
        return source.getConnection();
    }

    /**
     * @return statements so far, without those of this counter
     * @throws SQLException if the server cannot be asked
     */
    public long read() throws SQLException {
        asked++;
        try (ResultSet row = questions.executeQuery()) {
            row.next();
            return row.getLong(2) - asked;
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
