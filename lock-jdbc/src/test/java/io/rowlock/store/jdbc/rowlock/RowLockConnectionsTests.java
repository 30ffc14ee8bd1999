package io.rowlock.store.jdbc.rowlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@OnServer
class RowLockConnectionsTests {
    /** A stack that overflows in the driver can leave a lock of the driver's locked for good. */
    @Test
    void connectionThatFailsToEndAndThenHangsHoldsUpNeitherTheNextOneNorTheEnd(TestSchema schema) throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        try (RowLockTable table = new RowLockTable(schema)) {
            DataSource pool = new FailingThenHanging(table.pool(2, config -> {}), hanging);
            RowLockConnections connections = new RowLockConnections(pool, RowLockTable.PREFIX, 2, true);
            RowLockConnection first = connections.open(RowLockTable.QUERY_TIMEOUT);
            assertThatExceptionOfType(StackOverflowError.class).isThrownBy(first::discard);

            CompletableFuture<Void> next = CompletableFuture.runAsync(() -> {
                RowLockConnection second = connections.open(RowLockTable.QUERY_TIMEOUT);
                second.giveUp(RowLockTable.QUERY_TIMEOUT);
                connections.close();
            });

            assertThat(next).succeedsWithin(20, TimeUnit.SECONDS);
        } finally {
            hanging.countDown();
        }
    }

    /** As with sysdate-is-now: a statement that was late would have a token that is smaller than a later holder's. */
    @Test
    void serverWhoseTimeStandsStillInAStatementIsRefused(TestSchema schema) {
        try (RowLockTable table = new RowLockTable(schema)) {
            DataSource pool = new SysdateIsNow(table.pool(2, config -> {}));
            RowLockStore store = new RowLockStore(table.database(), pool, 2, RowLockTable.PREFIX, true);

            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() ->
                            store.tryAcquire(RowLockTable.request("frozen", LockMode.EXCLUSIVE, RowLockTable.TTL)))
                    .withMessageContaining("sysdate-is-now");
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> store.inspection().orElseThrow().requireRights())
                    .withMessageContaining("sysdate-is-now");
            store.close();
        }
    }

    /** Reads the time at the beginning of each statement. */
    private static final class SysdateIsNow extends DelegatingDataSource {
        SysdateIsNow(DataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            Connection physical = FailingThenHanging.proxy((proxy, method, arguments) -> {
                if (method.getName().equals("prepareStatement")) {
                    arguments[0] = ((String) arguments[0]).replace("SYSDATE(", "NOW(");
                }
                return FailingThenHanging.call(real.unwrap(Connection.class), method, arguments);
            });
            return FailingThenHanging.proxy((proxy, method, arguments) ->
                    method.getName().equals("unwrap") ? physical : FailingThenHanging.call(real, method, arguments));
        }
    }

    /** The first of its connections overflows the stack when it is to be ended, and hangs when it is to be ended again. */
    private static final class FailingThenHanging extends DelegatingDataSource {
        private final CountDownLatch hanging;
        private final AtomicInteger aborts = new AtomicInteger();

        FailingThenHanging(DataSource pool, CountDownLatch hanging) {
            super(pool);
            this.hanging = hanging;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            Connection physical = proxy((proxy, method, arguments) -> {
                if (method.getName().equals("abort")) {
                    if (aborts.incrementAndGet() == 1) {
                        throw new StackOverflowError();
                    }
                    hanging.await();
                }
                return call(real.unwrap(Connection.class), method, arguments);
            });
            return proxy((proxy, method, arguments) ->
                    method.getName().equals("unwrap") ? physical : call(real, method, arguments));
        }

        private static Connection proxy(InvocationHandler handler) {
            return (Connection) Proxy.newProxyInstance(
                    FailingThenHanging.class.getClassLoader(), new Class<?>[] {Connection.class}, handler);
        }

        private static @Nullable Object call(Object real, Method method, Object @Nullable [] arguments)
                throws Throwable {
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
