package io.rowlock.store.jdbc.session;

import static java.lang.reflect.Proxy.newProxyInstance;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which statements are sent to which servers; what they do there is shown on real ones. */
class CurrentReadsTests {
    private static final String SELECT = "SELECT 1 FOR UPDATE";
    private static final String CURRENT = "SET STATEMENT innodb_snapshot_isolation = OFF FOR " + SELECT;

    private final List<String> sent = new ArrayList<>();
    private final Set<String> withoutSetting = ConcurrentHashMap.newKeySet();
    private int refusal;

    private List<Integer> read(String server) throws SQLException {
        return new TransactionConnection.Reads(new Session(connection(), 0), server, withoutSetting)
                .query(SELECT, row -> row.getInt(1));
    }

    private Connection connection() {
        return fake(Connection.class, (proxy, method, arguments) -> {
            String sql = (String) arguments[0];
            sent.add(sql);
            if (refusal != 0 && sql.startsWith("SET")) {
                throw new SQLException("refused", "HY000", refusal);
            }
            return statement();
        });
    }

    private static PreparedStatement statement() {
        ResultSet none = fake(ResultSet.class, (proxy, method, arguments) -> falseOrNothing(method.getReturnType()));
        return fake(
                PreparedStatement.class,
                (proxy, method, arguments) ->
                        method.getName().equals("getResultSet") ? none : falseOrNothing(method.getReturnType()));
    }

    private static Object falseOrNothing(Class<?> type) {
        return type == boolean.class ? false : null;
    }

    private static <T> T fake(Class<T> type, InvocationHandler handler) {
        return type.cast(newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Test
    void mySqlIsAskedPlainly() throws SQLException {
        assertThat(read("9.7.4")).isEmpty();
        assertThat(sent).containsExactly(SELECT);
    }

    @Test
    void mariaDbIsToldToShowWhatIsCurrent() throws SQLException {
        assertThat(read("11.8.6-MariaDB")).isEmpty();
        assertThat(sent).containsExactly(CURRENT);
    }

    @Test
    void serverThatDoesNotKnowTheSettingIsAskedPlainlyFromThenOn() throws SQLException {
        refusal = 1193;
        assertThat(read("10.6.17-MariaDB")).isEmpty();
        assertThat(read("10.6.17-MariaDB")).isEmpty();
        assertThat(sent).containsExactly(CURRENT, SELECT, SELECT);
        refusal = 0;
        read("11.8.6-MariaDB");
        assertThat(sent).endsWith(CURRENT);
    }

    @ParameterizedTest
    @ValueSource(ints = {1020, 1205, 1213})
    void otherErrorsAreNotTakenForThat(int error) {
        refusal = error;
        assertThatThrownBy(() -> read("11.8.6-MariaDB")).isInstanceOf(SQLException.class);
        assertThat(sent).containsExactly(CURRENT);
        assertThat(withoutSetting).isEmpty();
    }
}
