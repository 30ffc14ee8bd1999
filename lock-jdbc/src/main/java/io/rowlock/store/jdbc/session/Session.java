package io.rowlock.store.jdbc.session;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs statements on one connection, each with the query time-out.
 *
 * <p>A connection is used again only if {@link #isAnswered}: after an {@code Error} in the middle of a statement, the answer that is
 * still on its way would be taken for that to the next one.
 *
 * <p>What closing a statement comes to changes no answer: one that has arrived counts, and the error of one that has not is
 * the one that is thrown.
 */
public final class Session {
    private static final Logger log = LoggerFactory.getLogger(Session.class);

    /** Some 25 kB of stack once compiled, and more before; a statement takes less than 10. */
    private static final int STACK_LEVELS = 400;

    private final Connection connection;
    private final int queryTimeoutSeconds;
    private final NetworkLimit limit;

    /** Something was sent of which the answer has not been read to its end. */
    private volatile boolean asking;

    /** @param queryTimeoutSeconds after how long a statement is stopped; 0 for never */
    public Session(Connection connection, int queryTimeoutSeconds) {
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

    /**
     * Fails with a {@link StackOverflowError} now, before anything is taken or sent, if the driver could run out of stack: an overflow
     * while it unlocks a lock of its own would leave that locked for good, and so cost a pool the connection.
     */
    public static void requireStack() {
        long unused = descend(STACK_LEVELS, 1, 2, 3, 4);
    }

    /** Needs all its arguments afterwards, so that each level keeps them on the stack. */
    private static long descend(int levels, long a, long b, long c, long d) {
        return levels == 0 ? a : descend(levels - 1, b, c, d, a) + a + b + c + d;
    }

    /** Limits how long the answer may take to what is about to be sent. */
    @FunctionalInterface
    interface NetworkLimit {
        void apply(Connection connection) throws SQLException;
    }

    /**
     * The answer to several statements that were sent at once.
     *
     * @param rows of the one that answers with some
     * @param matched how many rows the others matched together, whether or not they changed
     */
    public record PacketAnswer<T>(List<T> rows, int matched) {}

    /** Makes something of one row. */
    @FunctionalInterface
    public interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Sends something, and reads the answer to its end. */
    @FunctionalInterface
    public interface Question<T> {
        T ask() throws SQLException;
    }

    /** Returns true if all that was sent is answered, so that the connection may be used again. An error of the server is an answer. */
    public boolean isAnswered() {
        return !asking;
    }

    /** Asks the server with the connection itself. */
    public <T> T ask(Question<T> question) throws SQLException {
        asking = true;
        T answer;
        try {
            answer = question.ask();
        } catch (SQLException e) {
            asking = !SqlFailure.isAnswer(e);
            throw e;
        }
        asking = false;
        return answer;
    }

    /** Makes something of the answer to a statement. */
    @FunctionalInterface
    private interface Reading<T> {
        T read(PreparedStatement statement) throws SQLException;
    }

    private <T> T ask(String sql, int generatedKeys, Reading<T> reading, @Nullable Object... parameters)
            throws SQLException {
        limit.apply(connection);
        return ask(() -> {
            PreparedStatement statement = prepare(sql, generatedKeys, parameters);
            try {
                return reading.read(statement);
            } finally {
                close(statement);
            }
        });
    }

    // The two statements of an uncontended lock are asked without a lambda in between

    /** @return how many rows matched, whether or not they changed */
    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        limit.apply(connection);
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

    /** @return the argument of the statement's LAST_INSERT_ID(…), which comes with the answer, if a row matched */
    public OptionalLong updateReturning(String sql, @Nullable Object... parameters) throws SQLException {
        limit.apply(connection);
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
            throw unknown("The generated key could not be read for: " + sql, e);
        }
        throw unknown("The driver returned no generated key for: " + sql, null);
    }

    private static SQLException unknown(String message, @Nullable SQLException cause) {
        return new SQLRecoverableException(message, cause);
    }

    /** @return the ids of the rows inserted, in their order */
    public List<Long> insertReturningIds(String sql, @Nullable Object... parameters) throws SQLException {
        return ask(
                sql,
                Statement.RETURN_GENERATED_KEYS,
                statement -> {
                    statement.executeUpdate();
                    return rows(statement.getGeneratedKeys(), key -> key.getLong(1));
                },
                parameters);
    }

    /** Runs a statement that changes no row, which drivers send on a read-only connection, too. */
    public void run(String sql) throws SQLException {
        boolean unused = ask(sql, Statement.NO_GENERATED_KEYS, PreparedStatement::execute);
    }

    public <T> List<T> query(String sql, Row<T> row, @Nullable Object... parameters) throws SQLException {
        return ask(
                sql,
                Statement.NO_GENERATED_KEYS,
                statement -> {
                    statement.execute(); // executeQuery of MySQL's driver refuses a SELECT that begins with SET
                    // STATEMENT
                    return rows(statement.getResultSet(), row);
                },
                parameters);
    }

    /**
     * Runs several statements that are sent at once; the connection must allow it. If one fails, those behind it are not run, and
     * a transaction that one of them began is rolled back.
     *
     * @param sql statements of which the last commits, if they commit
     * @return the rows of the one that answers with some, and how many rows the others matched together
     */
    public <T> PacketAnswer<T> packet(String sql, Row<T> row) throws SQLException {
        limit.apply(connection);
        try (Statement statement = connection.createStatement()) {
            try {
                return ask(() -> answer(statement, sql, row));
            } catch (SQLException e) {
                rollback(statement, e);
                throw asOfCommit(e);
            }
        }
    }

    private static <T> PacketAnswer<T> answer(Statement statement, String sql, Row<T> row) throws SQLException {
        List<T> rows = List.of();
        int matched = 0;
        boolean answers = statement.execute(sql);
        for (int count = statement.getUpdateCount(); answers || count >= 0; count = statement.getUpdateCount()) {
            if (answers) {
                rows = rows(statement.getResultSet(), row);
            } else {
                matched += count;
            }
            answers = statement.getMoreResults();
        }
        return new PacketAnswer<>(rows, matched);
    }

    private void rollback(Statement statement, SQLException cause) {
        if (!isAnswered()) {
            Connections.discard(connection);
            return;
        }
        try {
            boolean unused = ask(() -> statement.execute("ROLLBACK"));
        } catch (SQLException e) {
            cause.addSuppressed(e);
            Connections.discard(connection);
        }
    }

    private static <T> List<T> rows(ResultSet answer, Row<T> row) throws SQLException {
        try (ResultSet rows = answer) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(row.read(rows));
            }
            return all;
        }
    }

    private static void close(PreparedStatement statement) {
        try {
            statement.close();
        } catch (SQLException e) {
            log.debug("A statement could not be closed", e);
        }
    }

    /** @return the database in which tables without a qualified name are */
    public String schema() throws SQLException {
        return String.valueOf(connection.getCatalog());
    }

    /**
     * Runs several statements as one transaction. What it came to is what the answer to COMMIT says, or the error that kept it
     * from being sent, whatever becomes of the connection after that.
     */
    public <T> T inTransaction(LockDatabase.Work<T> work) throws SQLException {
        T result;
        try {
            limit.apply(connection);
            autoCommit(false);
            result = work.run(this);
            limit.apply(connection);
            commit();
        } catch (SQLException | RuntimeException | Error e) {
            rollback(e);
            throw e;
        }
        autoCommitAgain();
        return result;
    }

    /** A COMMIT that failed otherwise than by being rolled back may have been carried out. */
    private void commit() throws SQLException {
        try {
            boolean unused = ask(() -> {
                connection.commit();
                return true;
            });
        } catch (SQLException e) {
            throw asOfCommit(e);
        }
    }

    private static SQLException asOfCommit(SQLException e) {
        return SqlFailure.of(e) == SqlFailure.OTHER ? unknown("The commit failed: " + e.getMessage(), e) : e;
    }

    private void autoCommit(boolean on) throws SQLException {
        boolean unused = ask(() -> {
            connection.setAutoCommit(on);
            return true;
        });
    }

    /** A transaction that cannot be rolled back ends with its connection; switching to autocommit would commit it. */
    private void rollback(Throwable cause) {
        if (!isAnswered()) {
            Connections.discard(connection);
            return;
        }
        try {
            boolean unused = ask(() -> {
                connection.rollback();
                return true;
            });
            autoCommit(true);
        } catch (SQLException e) {
            cause.addSuppressed(e);
            Connections.discard(connection);
        }
    }

    private void autoCommitAgain() {
        try {
            autoCommit(true);
        } catch (SQLException e) {
            log.debug("A connection is discarded, since it does not go back to autocommit", e);
            Connections.discard(connection);
        }
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
