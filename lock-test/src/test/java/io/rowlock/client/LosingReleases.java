package io.rowlock.client;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A network that loses the answers to releases that let the next of the line through. */
final class LosingReleases extends DelegatingDataSource {
    LosingReleases(DataSource pool) {
        super(pool);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection real = super.getConnection();
        return (Connection) proxy(Connection.class, (proxy, method, arguments) -> {
            Object answer = call(real, method, arguments);
            boolean lost = method.getName().equals("prepareStatement")
                    && ((String) arguments[0]).contains("owner = IF(RELEASE_LOCK(");
            return lost ? losing((PreparedStatement) answer) : answer;
        });
    }

    private static Object losing(PreparedStatement statement) {
        return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
            Object answer = call(statement, method, arguments);
            if (method.getName().equals("executeUpdate")) {
                throw new SQLException("The answer was lost", "08S01");
            }
            return answer;
        });
    }

    private static Object proxy(Class<?> type, java.lang.reflect.InvocationHandler handler) {
        return Proxy.newProxyInstance(LosingReleases.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
