package io.rowlock.store.jdbc.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.ConnectionCallback;

/**
 * Runs statements on one connection, each with the query time-out.
 *
 * <p>A connection is used again only if {@link #isAnswered}: after an {@code Error} in the middle of a statement, the answer that is
 * still on its way would be mistaken for that to the next one.
 *
 * <p>What closing a statement comes to changes no answer: one that has arrived counts, and the error of one that has not is
 * the one that is thrown.
 */
public final class Session {
    private static final Logger log = LoggerFactory.getLogger(Session.class);

    private final Connection connection;
    private final int queryTimeoutSeconds;
    private final Command limit;

    /** Something was sent of which the answer has not been read to its end. */
    private volatile boolean asking;

    /** @param queryTimeoutSeconds after how long a statement is stopped; 0 for never */
    public Session(Connection connection, int queryTimeoutSeconds) {
        this(connection, queryTimeoutSeconds, () -> {});
    }

    /** @param limit limits how long the answer may take to what is about to be sent */
    Session(Connection connection, int queryTimeoutSeconds, Command limit) {
        this.connection = connection;
        this.queryTimeoutSeconds = queryTimeoutSeconds;
        this.limit = limit;
    }

    /** Makes something of one row. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Returns true if all that was sent is answered, so that the connection may be used again. An error of the server is an answer. */
    public boolean isAnswered() {
        return !asking;
    }

    /** Asks the server with the connection itself, and reads the answer to its end. */
    public <T> T ask(ConnectionCallback<T> question) throws SQLException {
        asking = true;
        try {
            T answer = question.doInConnection(connection);
            asking = false;
            return answer;
        } catch (SQLException e) {
            asking = !SqlFailure.isAnswer(e);
            throw e;
        }
    }

    /** Does something with the connection that answers with nothing but that it is done. */
    @FunctionalInterface
    public interface Command {
        void send() throws SQLException;
    }

    /** Tells the server something with the connection itself. */
    public void tell(Command command) throws SQLException {
        boolean unused = ask(same -> {
            command.send();
            return true;
        });
    }

    // The two statements of an uncontended lock are asked without a lambda in between

    /** @return how many rows matched, whether or not they changed */
    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        limit.send();
        asking = true;
        int rows;
        try {
            PreparedStatement statement = prepare(sql, Statement.NO_GENERATED_KEYS, parameters);
            try {
                rows = statement.executeUpdate();
            } finally {
                close(statement);
            }
        } catch (SQLException e) {
            asking = !SqlFailure.isAnswer(e);
            throw e;
        }
        asking = false;
        return rows;
    }

    /** @return the argument of the statement's LAST_INSERT_ID(…), or the first id that it made, which comes with the answer, if a row matched */
    public OptionalLong updateReturning(String sql, @Nullable Object... parameters) throws SQLException {
        limit.send();
        asking = true;
        OptionalLong returned;
        try {
            PreparedStatement statement = prepare(sql, Statement.RETURN_GENERATED_KEYS, parameters);
            try {
                returned = statement.executeUpdate() == 0 ? OptionalLong.empty() : generated(statement, sql);
            } finally {
                close(statement);
            }
        } catch (SQLException e) {
            asking = !SqlFailure.isAnswer(e);
            throw e;
        }
        asking = false;
        return returned;
    }

    /** A row matched, so something was changed, whatever the driver makes of the rest of the answer. */
    private static OptionalLong generated(PreparedStatement statement, String sql) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            if (keys.next()) {
                return OptionalLong.of(keys.getLong(1));
            }
        } catch (SQLException e) {
            throw SqlFailure.unknown("The generated key could not be read for: " + sql, e);
        }
        throw SqlFailure.unknown("The driver returned no generated key for: " + sql, null);
    }

    /** Inserts a row unless it exists, and returns true if it did. In autocommit mode, as a duplicate leaves the row share-locked to the end of the transaction. */
    public boolean insertIfMissing(String sql, @Nullable Object... parameters) throws SQLException {
        try {
            return update(sql, parameters) > 0;
        } catch (SQLException e) {
            SqlFailure.DUPLICATE.require(e);
            return false;
        }
    }

    /** @return the number that a query answers with; empty without a row */
    public OptionalLong number(String sql, @Nullable Object... parameters) throws SQLException {
        List<Long> numbers = query(sql, row -> row.getLong(1), parameters);
        return numbers.isEmpty() ? OptionalLong.empty() : OptionalLong.of(numbers.get(0));
    }

    /** @return the numbers that a query answers with, one a row */
    public List<Long> numbers(String sql, @Nullable Object... parameters) throws SQLException {
        return query(sql, row -> row.getLong(1), parameters);
    }

    public <T> List<T> query(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
        limit.send();
        return ask(same -> {
            PreparedStatement statement = prepare(sql, Statement.NO_GENERATED_KEYS, parameters);
            try {
                boolean unused = statement.execute();
                return rows(statement.getResultSet(), row);
            } finally {
                close(statement);
            }
        });
    }

    /**
     * Runs several statements that are sent at once; the connection must allow it. If one fails, those behind it are not run, and
     * a transaction that one of them began is rolled back.
     *
     * @param commits whether the last of the statements commits, so that an error may have come after it
     * @param row reads each row of the one that answers with some
     * @return how many rows the others matched together, whether or not they changed
     */
    public int packet(String sql, boolean commits, Row<?> row) throws SQLException {
        limit.send();
        Statement statement = connection.createStatement();
        try {
            return ask(same -> matched(statement, sql, row));
        } catch (SQLException e) {
            undo(e);
            throw commits ? SqlFailure.ofCommit(e) : e;
        } finally {
            close(statement);
        }
    }

    /** Sends statements. @return how many rows those matched together that answer with none */
    private static int matched(Statement statement, String sql, Row<?> row) throws SQLException {
        int matched = 0;
        boolean answers = statement.execute(sql);
        for (int count = statement.getUpdateCount(); answers || count >= 0; count = statement.getUpdateCount()) {
            if (answers) {
                Object unused = rows(statement.getResultSet(), row);
            } else {
                matched += count;
            }
            answers = statement.getMoreResults();
        }
        return matched;
    }

    /** A transaction that cannot be rolled back ends with its connection. */
    private void undo(Throwable cause) {
        if (!isAnswered()) {
            Connections.discard(connection);
            return;
        }
        try (Statement statement = connection.createStatement()) {
            tell(() -> statement.execute("ROLLBACK AND NO CHAIN NO RELEASE"));
        } catch (SQLException e) {
            cause.addSuppressed(e);
            Connections.discard(connection);
        }
    }

    /** @param answer null if the statement answers with no rows */
    private static <T> List<T> rows(@Nullable ResultSet answer, Row<T> row) throws SQLException {
        try (ResultSet rows = answer) {
            List<T> all = new ArrayList<>();
            while (rows != null && rows.next()) {
                all.add(row.read(rows));
            }
            return all;
        }
    }

    private static void close(Statement statement) {
        try {
            statement.close();
        } catch (SQLException e) {
            log.debug("A statement could not be closed", e);
        }
    }

    /**
     * Runs several statements as one transaction, on a connection in autocommit mode. What it came to is what the answer to COMMIT
     * says, or the error that kept it from being sent.
     */
    public <T> T inTransaction(LockDatabase.Work<T> work) throws SQLException {
        send("START TRANSACTION", false);
        T result;
        try {
            result = work.run(this);
        } catch (SQLException | RuntimeException | Error e) {
            undo(e);
            throw e;
        }
        send("COMMIT AND NO CHAIN NO RELEASE", true);
        return result;
    }

    /** Sends what a server prepares no statement for. */
    private void send(String statement, boolean commits) throws SQLException {
        int unused = packet(statement, commits, row -> row.getLong(1));
    }

    /** To prepare a statement for the first time is a question to the server, too. */
    private PreparedStatement prepare(String sql, int generatedKeys, @Nullable Object... parameters)
            throws SQLException {
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
            close(statement);
            throw e;
        }
    }
}
