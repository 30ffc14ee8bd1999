package io.rowlock.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Runs statements on one connection, each with the query time-out. */
final class Session {
    private final Connection connection;
    private final int queryTimeoutSeconds;
    private final NetworkLimit limit;

    /** @param queryTimeoutSeconds after how long a statement is stopped; 0 for never */
    Session(Connection connection, int queryTimeoutSeconds) {
        this(connection, queryTimeoutSeconds, unlimited -> {});
    }

    /**
     * @param queryTimeoutSeconds after how long a statement is stopped; 0 for never
     * @param limit what limits how long an answer may take
     */
    Session(Connection connection, int queryTimeoutSeconds, NetworkLimit limit) {
        this.connection = connection;
        this.queryTimeoutSeconds = queryTimeoutSeconds;
        this.limit = limit;
    }

    /** Limits how long the answer may take to what is about to be sent. */
    @FunctionalInterface
    interface NetworkLimit {
        void apply(Connection connection) throws SQLException;
    }

    /** Makes something of one row. */
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** @return how many rows matched, whether or not they changed */
    int update(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, Statement.NO_GENERATED_KEYS, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** @return the argument of the statement's LAST_INSERT_ID(…), which comes with the answer, if a row matched */
    OptionalLong updateReturning(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, Statement.RETURN_GENERATED_KEYS, parameters)) {
            if (statement.executeUpdate() == 0) {
                return OptionalLong.empty();
            }
            try (ResultSet keys = statement.getGeneratedKeys()) {
                if (!keys.next()) {
                    throw new SQLException("The driver returned no generated key for: " + sql);
                }
                return OptionalLong.of(keys.getLong(1));
            }
        }
    }

    /** @return the ids of the rows inserted, in their order */
    List<Long> insertReturningIds(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, Statement.RETURN_GENERATED_KEYS, parameters)) {
            statement.executeUpdate();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                List<Long> ids = new ArrayList<>();
                while (keys.next()) {
                    ids.add(keys.getLong(1));
                }
                return ids;
            }
        }
    }

    <T> List<T> query(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, Statement.NO_GENERATED_KEYS, parameters)) {
            statement.execute(); // executeQuery of MySQL's driver refuses a SELECT that begins with SET STATEMENT
            try (ResultSet rows = statement.getResultSet()) {
                List<T> all = new ArrayList<>();
                while (rows.next()) {
                    all.add(row.read(rows));
                }
                return all;
            }
        }
    }

    /** @return the database in which tables without a qualified name are */
    String schema() throws SQLException {
        return String.valueOf(connection.getCatalog());
    }

    /** Runs several statements as one transaction. */
    <T> T inTransaction(LockDatabase.Work<T> work) throws SQLException {
        limit.apply(connection);
        connection.setAutoCommit(false);
        try {
            T result = work.run(this);
            limit.apply(connection);
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            rollback(e);
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private void rollback(Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** To prepare a statement for the first time is a question to the server, too. */
    private PreparedStatement prepare(String sql, int generatedKeys, @Nullable Object... parameters)
            throws SQLException {
        limit.apply(connection);
        PreparedStatement statement = connection.prepareStatement(sql, generatedKeys);
        try {
            if (queryTimeoutSeconds > 0) {
                statement.setQueryTimeout(queryTimeoutSeconds);
            }
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement;
        } catch (SQLException | RuntimeException | Error e) {
            statement.close();
            throw e;
        }
    }
}
