package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of an outcome if the connection fails after it. */
class SessionTests {
    private final List<String> calls = new ArrayList<>();
    private final Map<String, SQLException> failures = new HashMap<>();
    private final Session session = new Session((Connection) recorded(Connection.class), 0);

    private Object recorded(Class<?> type) {
        return Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String call = call(type, method, arguments);
                    calls.add(call);
                    if (failures.containsKey(call)) {
                        throw failures.get(call);
                    }
                    return answer(method);
                });
    }

    private static String call(Class<?> type, Method method, Object @Nullable [] arguments) {
        boolean plain = type == Statement.class && method.getName().equals("execute");
        return plain
                ? String.valueOf(arguments[0]).replaceFirst(" .*", "")
                : type.getSimpleName() + "." + method.getName();
    }

    private @Nullable Object answer(Method method) {
        Class<?> type = method.getReturnType();
        if (type == PreparedStatement.class || type == Statement.class) {
            return recorded(type);
        }
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? (method.getName().equals("getUpdateCount") ? -1 : 1) : null;
    }

    private static SQLException closed() {
        return new SQLException("Connection is closed");
    }

    @Test
    void committedTransactionStaysOneThoughItsStatementCannotBeClosed() throws SQLException {
        failures.put("Statement.close", closed());
        int outcome = session.inTransaction(transaction -> 7);
        assertThat(outcome).isEqualTo(7);
        assertThat(calls).containsSubsequence("START", "COMMIT").doesNotContain("ROLLBACK");
    }

    @Test
    void errorOfATransactionIsNotHiddenByThatOfItsConnection() {
        SQLException real = new SQLException("no answer", "08S01");
        failures.put("COMMIT", real);
        failures.put("ROLLBACK", closed());
        assertThatThrownBy(() -> session.inTransaction(transaction -> 7)).isSameAs(real);
    }

    @Test
    void transactionThatCannotBeRolledBackEndsWithItsConnectionAndIsNotCommitted() {
        failures.put("ROLLBACK", closed());
        assertThatThrownBy(() -> session.inTransaction(transaction -> {
                    throw new IllegalStateException("what it is about");
                }))
                .hasMessage("what it is about");
        assertThat(calls).contains("Connection.abort", "Connection.close").doesNotContain("COMMIT");
    }

    @Test
    void commitThatFailsForAnUnknownReasonMayHaveBeenCarriedOut() {
        failures.put("COMMIT", new SQLException("Got error 28 during COMMIT", "HY000", 1180));
        SQLException thrown = catchThrowableOfType(SQLException.class, () -> session.inTransaction(transaction -> 7));
        assertThat(SqlFailure.of(thrown)).isEqualTo(SqlFailure.NO_ANSWER);
    }

    @Test
    void transactionThatTheServerDoesNotBeginIsNoCommitOfUnknownOutcome() {
        SQLException refused = new SQLException("User has exceeded the 'max_questions' resource", "42000", 1226);
        failures.put("START", refused);
        assertThatThrownBy(() -> session.inTransaction(transaction -> 7)).isSameAs(refused);
        assertThat(SqlFailure.of(refused)).isEqualTo(SqlFailure.OTHER);
        assertThat(calls).doesNotContain("COMMIT");
    }

    @Test
    void commitThatTheServerRolledBackIsSentAgain() {
        failures.put("COMMIT", new SQLException("conflict", "40001", 1213));
        SQLException thrown = catchThrowableOfType(SQLException.class, () -> session.inTransaction(transaction -> 7));
        assertThat(SqlFailure.of(thrown)).isEqualTo(SqlFailure.CONFLICT);
    }

    @Test
    void answerCountsThoughTheStatementCannotBeClosed() throws SQLException {
        failures.put("PreparedStatement.close", closed());
        assertThat(session.update("UPDATE x")).isEqualTo(1);
    }

    @Test
    void packetCountsThoughItsStatementCannotBeClosed() throws SQLException {
        Iterator<Integer> counts = List.of(1, -1).iterator();
        Object statement = Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Statement.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "close" -> throw closed();
                    case "getUpdateCount" -> counts.next();
                    default -> false;
                });
        Connection connection = (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> statement);
        assertThat(new Session(connection, 0).packet("UPDATE x", false, row -> 1))
                .isEqualTo(1);
    }

    @Test
    void errorOfTheServerIsAnAnswer() {
        failures.put("PreparedStatement.executeUpdate", new SQLException("deadlock", "40001", 1213));
        assertThatThrownBy(() -> session.update("UPDATE x")).hasMessage("deadlock");
        assertThat(session.isAnswered()).isTrue();
    }

    @Test
    void brokenConnectionOrAnErrorOfTheProcessIsNone() {
        failures.put("PreparedStatement.executeUpdate", closed());
        assertThatThrownBy(() -> session.update("UPDATE x")).hasMessage("Connection is closed");
        assertThat(session.isAnswered()).isFalse();
        failures.clear();
        Session other = new Session((Connection) recorded(Connection.class), 0);
        assertThatThrownBy(() -> other.ask(same -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);
        assertThat(other.isAnswered()).isFalse();
    }

    @Test
    void transactionIsNotRolledBackOnAConnectionWhoseAnswerIsStillToCome() {
        assertThatThrownBy(() -> session.inTransaction(transaction -> transaction.ask(same -> {
                    throw new IllegalStateException("in the driver");
                })))
                .hasMessage("in the driver");
        assertThat(calls).contains("Connection.abort").doesNotContain("ROLLBACK", "COMMIT");
    }

    @Test
    void matchedRowWithoutAReadableTokenIsUnknown() {
        failures.put("PreparedStatement.getGeneratedKeys", closed());
        SQLException thrown = catchThrowableOfType(SQLException.class, () -> session.updateReturning("UPDATE x"));
        assertThat(SqlFailure.of(thrown)).isEqualTo(SqlFailure.NO_ANSWER);
    }
}
