package io.rowlock.client;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A database on the way to which a statement is held up, or on the way from which an answer is lost. Its sender learns that
 * no answer came, and its connection is of no use from then on, as a pool has it.
 */
final class LateStatements extends DelegatingDataSource {
    /** Instead of a statement: the end of a transaction. */
    static final Predicate<String> COMMIT = sql -> sql.startsWith("COMMIT");

    private final AtomicReference<@Nullable Fault> next = new AtomicReference<>();
    private final Deque<Arrival> underway = new ArrayDeque<>();

    private record Fault(Predicate<String> sql, boolean arrives) {}

    /** What happens on the server's side when it arrives. */
    private interface Arrival {
        void run() throws Throwable;
    }

    LateStatements(DataSource pool) {
        super(pool);
    }

    /** The next such statement is carried out, and its answer is lost. */
    void loseAnswerTo(Predicate<String> sql) {
        next.set(new Fault(sql, true));
    }

    /** The next such statement is on its way until {@link #arrive()}. */
    void holdUp(Predicate<String> sql) {
        next.set(new Fault(sql, false));
    }

    /** Whether what was to be lost or held up has been. */
    boolean hasStruck() {
        return next.get() == null;
    }

    /** What was held up is carried out now. */
    void arrive() {
        synchronized (underway) {
            try {
                while (!underway.isEmpty()) {
                    underway.removeFirst().run();
                }
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return (Connection) proxy(Connection.class, new Wire(super.getConnection()));
    }

    /** One connection of it. */
    private final class Wire implements InvocationHandler {
        private final Connection real;
        private boolean dead;
        private boolean occupied;

        Wire(Connection real) {
            this.real = real;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            switch (method.getName()) {
                case "close", "abort" -> {
                    return occupied ? null : call(real, method, arguments);
                }
                case "prepareStatement" -> {
                    requireAlive();
                    String sql = (String) arguments[0];
                    PreparedStatement statement = (PreparedStatement) call(real, method, arguments);
                    return proxy(
                            PreparedStatement.class, (same, call, values) -> statement(statement, sql, call, values));
                }
                case "createStatement" -> {
                    requireAlive();
                    Statement statement = (Statement) call(real, method, arguments);
                    return proxy(
                            Statement.class,
                            (same, call, values) ->
                                    statement(statement, values == null ? "" : values[0].toString(), call, values));
                }
                default -> {
                    if (!method.getName().equals("isClosed")) {
                        requireAlive();
                    }
                    return call(real, method, arguments);
                }
            }
        }

        private @Nullable Object statement(Statement statement, String sql, Method method, Object @Nullable [] values)
                throws Throwable {
            if (method.getName().equals("close") && occupied) {
                return null;
            }
            return method.getName().startsWith("execute")
                    ? sent(sql, () -> call(statement, method, values))
                    : call(statement, method, values);
        }

        private @Nullable Object sent(String sql, Sending sending) throws Throwable {
            Fault fault = next.get();
            if (fault == null || !fault.sql().test(sql) || !next.compareAndSet(fault, null)) {
                return sending.run();
            }
            dead = true;
            if (fault.arrives()) {
                sending.run();
                real.abort(Runnable::run);
            } else {
                occupied = true;
                synchronized (underway) {
                    underway.addLast(() -> {
                        sending.run();
                        real.close();
                    });
                }
            }
            throw new SQLRecoverableException("No answer came to: " + sql, "08S01");
        }

        private void requireAlive() throws SQLException {
            if (dead) {
                throw new SQLException("Connection is closed");
            }
        }
    }

    private interface Sending {
        @Nullable
        Object run() throws Throwable;
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(LateStatements.class.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static @Nullable Object call(Object real, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
