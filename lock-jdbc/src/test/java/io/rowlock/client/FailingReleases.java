package io.rowlock.client;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database on which releases that let the next of the line through are run, and fail then. */
final class FailingReleases extends DelegatingDataSource {
    private final SQLException failure;

    FailingReleases(DataSource pool, SQLException failure) {
        super(pool);
        this.failure = failure;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection real = super.getConnection();
        return (Connection) proxy(Connection.class, (proxy, method, arguments) -> {
            Object answer = call(real, method, arguments);
            boolean fails = method.getName().equals("prepareStatement")
                    && ((String) arguments[0]).contains("owner = IF(RELEASE_LOCK(");
            return fails ? failing((PreparedStatement) answer) : answer;
        });
    }

    private Object failing(PreparedStatement statement) {
        return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
            Object answer = call(statement, method, arguments);
            if (method.getName().equals("executeUpdate")) {
                throw failure;
            }
            return answer;
        });
    }

    private static Object proxy(Class<?> type, java.lang.reflect.InvocationHandler handler) {
        return Proxy.newProxyInstance(FailingReleases.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
