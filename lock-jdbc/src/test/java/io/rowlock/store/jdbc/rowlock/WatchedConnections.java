package io.rowlock.store.jdbc.rowlock;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Connections that show how many of their queries wait for an answer. */
final class WatchedConnections extends DelegatingDataSource {
    private final AtomicInteger queries = new AtomicInteger();

    WatchedConnections(DataSource pool) {
        super(pool);
    }

    /** How many queries wait for an answer. */
    int queries() {
        return queries.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection real = super.getConnection();
        return (Connection) proxy(Connection.class, (proxy, method, arguments) -> {
            Object answer = call(real, method, arguments);
            return answer instanceof PreparedStatement statement ? watched(statement) : answer;
        });
    }

    private Object watched(PreparedStatement real) {
        return proxy(
                PreparedStatement.class,
                (proxy, method, arguments) -> method.getName().startsWith("execute")
                        ? counted(real, method, arguments)
                        : call(real, method, arguments));
    }

    private @Nullable Object counted(Object real, Method method, Object @Nullable [] arguments) throws Throwable {
        queries.incrementAndGet();
        try {
            return call(real, method, arguments);
        } finally {
            queries.decrementAndGet();
        }
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(WatchedConnections.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static @Nullable Object call(Object real, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
