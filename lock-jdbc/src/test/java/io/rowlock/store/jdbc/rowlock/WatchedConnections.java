package io.rowlock.store.jdbc.rowlock;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A pool whose connections show how long a rollback may take, and whose statements need not answer to being cancelled. */
final class WatchedConnections extends DelegatingDataSource implements AutoCloseable {
    private final List<Duration> rollbacks = new CopyOnWriteArrayList<>();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger queries = new AtomicInteger();
    private volatile boolean cancelAnswers = true;
    private volatile boolean cancelFails;

    WatchedConnections(DataSource pool) {
        super(pool);
    }

    /** From now on the server gets no request to cancel a statement, and no answer comes to one until {@link #close}. */
    void loseCancels() {
        cancelAnswers = false;
    }

    /** From now on a request to cancel a statement fails, because the connection for it is lost. */
    void failCancels() {
        cancelFails = true;
    }

    /** How many queries wait for an answer. */
    int queries() {
        return queries.get();
    }

    /** Waits until the first request to cancel a statement. */
    void awaitCancel() throws InterruptedException {
        cancelled.await();
    }

    /** The network time-out at each rollback so far. */
    List<Duration> rollbacks() {
        return rollbacks;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection real = super.getConnection();
        return (Connection) proxy(Connection.class, (proxy, method, arguments) -> {
            if (method.getName().equals("rollback")) {
                rollbacks.add(Duration.ofMillis(real.getNetworkTimeout()));
            }
            Object answer = call(real, method, arguments);
            return answer instanceof PreparedStatement statement ? watched(statement) : answer;
        });
    }

    private Object watched(PreparedStatement real) {
        return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
            if (method.getName().equals("cancel")) {
                cancelled.countDown();
                if (cancelFails) {
                    throw new SQLException("The connection is lost", "08S01");
                }
                if (!cancelAnswers) {
                    end.await();
                    return null;
                }
            }
            return method.getName().equals("executeQuery")
                    ? counted(real, method, arguments)
                    : call(real, method, arguments);
        });
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

    /** Answers all requests that are open. */
    @Override
    public void close() {
        end.countDown();
    }
}
