package io.rowlock.store.jdbc.session;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A database on which something happens before certain statements are prepared. */
public final class BeforeStatement extends DelegatingDataSource {
    private final Predicate<String> sql;
    private final Action action;

    /** What happens, on the thread and perhaps in the transaction of the statement. */
    @FunctionalInterface
    public interface Action {
        void run() throws SQLException;
    }

    public BeforeStatement(DataSource pool, Predicate<String> sql, Action action) {
        super(pool);
        this.sql = sql;
        this.action = action;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection real = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement") && sql.test((String) arguments[0])) {
                        action.run();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
