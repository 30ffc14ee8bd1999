package io.rowlock.autoconfigure.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.test.OnServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A server, or a proxy in front of it, whose named locks exclude nobody, as the start finds out. */
@OnServer
@ExtendWith(OutputCaptureExtension.class)
class UselessNamedLocksTests {
    private static final String SAID = "Named locks of the server exclude nobody";

    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    /** Counts attempts and renewals of the node. */
    private static final AtomicInteger STATEMENTS = new AtomicInteger();

    private static OtherNode other;

    @BeforeAll
    static void startOther() {
        other = OtherNode.on(schema);
    }

    @AfterAll
    static void stopOther() {
        if (other != null) {
            other.close();
        }
    }

    @Test
    void waitersPollWhichIsSaidOnce(CapturedOutput output) {
        try (var node = new TestApplication(schema, Shared.class).start()) {
            HeldLock theirs = other.lock("polled");
            CompletableFuture<Void> waiter = waiter(node, "polled");
            int before = STATEMENTS.get();
            await().until(() -> STATEMENTS.get() - before > 3);
            assertThat(positionsInUse(node)).isZero();
            theirs.close();
            waiter.join();
        }
        assertThat(output.getOut().lines().filter(line -> line.contains(SAID)))
                .singleElement()
                .asString()
                .contains(" WARN ", "waiters poll instead");
    }

    @Test
    void waitersQueueUpWhereNamedLocksExclude(CapturedOutput output) {
        try (var node = new TestApplication(schema).start()) {
            HeldLock theirs = other.lock("queued");
            CompletableFuture<Void> waiter = waiter(node, "queued");
            await().until(() -> positionsInUse(node) == 1);
            theirs.close();
            waiter.join();
        }
        assertThat(output).doesNotContain(SAID);
    }

    private static CompletableFuture<Void> waiter(ConfigurableApplicationContext node, String key) {
        LockRequest request = LockRequest.exclusive(key).withWaitTime(Duration.ofMinutes(1));
        return CompletableFuture.runAsync(
                () -> node.getBean(LockClient.class).acquire(request).close());
    }

    /** Each position in a queue keeps a connection. */
    private static int positionsInUse(ConfigurableApplicationContext node) {
        return node.getBean(LockPools.class).waiting().getHikariPoolMXBean().getActiveConnections();
    }

    /** The lock pool's sessions are shared, so that a named lock of one is a named lock of all. */
    @Configuration(proxyBeanMethods = false)
    static class Shared {
        @Bean
        static BeanPostProcessor sharing() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof LockPools pools) {
                        pools.locks()
                                .setDataSource(new SharedSessions(pools.locks().getDataSource()));
                    }
                    return bean;
                }
            };
        }
    }

    private static final class SharedSessions extends DelegatingDataSource {
        SharedSessions(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            Connection target = super.getConnection(username, password);
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            String sql = (String) arguments[0];
                            arguments[0] = sql.replace("GET_LOCK(", "COALESCE(1, ");
                            STATEMENTS.addAndGet(sql.contains("rowlock_lock") ? 1 : 0);
                        }
                        try {
                            return method.invoke(target, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
