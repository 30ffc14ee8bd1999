package io.rowlock.autoconfigure.outage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What is printed when the server cannot keep locks. MySQL only: rights are not checked by the embedded MariaDB. */
@OnServer(ServerFlavor.MYSQL)
@ExtendWith(OutputCaptureExtension.class)
class ServerFailureTests {
    private FreshSchema schema;

    @BeforeEach
    void createSchema(DatabaseServer server) {
        schema = FreshSchema.on(server);
    }

    @AfterEach
    void dropSchema() {
        if (schema != null) {
            schema.close();
        }
    }

    @Test
    void missingTableIsExplained(CapturedOutput output) {
        failsToStart(
                new TestApplication(schema).with("rowlock.schema.initialize", "validate"),
                output,
                "Rowlock's tables (rowlock_*) do not exist",
                "rowlock.schema.initialize must be always");
    }

    @Test
    void missingRightIsNamed(CapturedOutput output) {
        schema.schema().migrate();
        String user = schema.userWith("SELECT, INSERT, DELETE");
        failsToStart(
                new TestApplication(schema).withUser(user),
                output,
                "UPDATE command denied",
                "it needs SELECT, INSERT, UPDATE and DELETE on the lock tables");
    }

    @Test
    void everyRightOfTheDefaultStrategyIsTriedOut(CapturedOutput output) {
        schema.schema().migrate();
        failsToStart(
                new TestApplication(schema).withUser(schema.userWith("SELECT, INSERT, UPDATE")),
                output,
                "DELETE command denied");
        failsToStart(
                new TestApplication(schema).withUser(schema.userWith("SELECT, UPDATE, DELETE")),
                output,
                "INSERT command denied");
    }

    // As from a replica, but only for the sessions of this test: the server belongs to others, too
    @Test
    void readOnlyServerIsExplained(CapturedOutput output) {
        failsToStart(
                readOnly(),
                output,
                "the server is read-only",
                "Point the DataSource",
                "Locks cannot be acquired on a replica");
        schema.schema().migrate();
        failsToStart(
                readOnly().with("rowlock.schema.initialize", "validate"),
                output,
                "Locks cannot be acquired",
                "the server is read-only; point the DataSource, or rowlock.datasource.url, at the primary");
    }

    // Simulated: a real one cannot be had here
    @Test
    void tooOldServerIsExplained(CapturedOutput output) {
        failsToStart(
                new TestApplication(schema, Old.class),
                output,
                "Locks cannot be kept in MySQL 5.7.44-log: Rowlock needs MySQL 8.0 or MariaDB 10.6, or later",
                "Upgrade the server");
        assertThat(schema.hasTable("rowlock_lock")).isFalse();
    }

    @Test
    void leftToItselfTheSchemaMayComeLater(CapturedOutput output) {
        new TestApplication(schema)
                .with("rowlock.schema.initialize", "never")
                .start()
                .close();
        assertThat(output)
                .contains("No locks can be acquired at the moment")
                .contains("the lock tables are missing")
                .doesNotContain("FAILED TO START");
    }

    @Test
    void serverThatCannotBeReachedIsExplained(CapturedOutput output) {
        failsToStart(
                new TestApplication(schema)
                        .with("spring.datasource.url", "jdbc:mysql://127.0.0.1:1/test")
                        .with("rowlock.pool.connection-timeout", "250ms"),
                output,
                "accepts no connection: Communications link failure",
                "Start the database, or correct host and port");
    }

    private TestApplication readOnly() {
        String url = schema.schema().jdbcUrl();
        return new TestApplication(schema)
                .with(
                        "spring.datasource.url",
                        url + "&sessionVariables=transaction_read_only=1&readOnlyPropagatesToServer=false");
    }

    private static void failsToStart(TestApplication application, CapturedOutput output, String... parts) {
        int before = output.getAll().length();
        assertThatException().isThrownBy(application::start);
        assertThat(output.getAll().substring(before))
                .contains("APPLICATION FAILED TO START", "Description:", "Action:")
                .contains(parts);
    }

    @Configuration(proxyBeanMethods = false)
    static class Old {
        @Bean
        static BeanPostProcessor ageing() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof LockPools pools) {
                        pools.locks().setDataSource(old(pools.locks().getDataSource()));
                    }
                    return bean;
                }
            };
        }

        private static DataSource old(DataSource real) {
            return new DelegatingDataSource(real) {
                @Override
                public Connection getConnection(String username, String password) throws SQLException {
                    Connection connection = super.getConnection(username, password);
                    return proxy(Connection.class, connection, "getMetaData", () -> old(connection.getMetaData()));
                }
            };
        }

        private static DatabaseMetaData old(DatabaseMetaData real) {
            return proxy(DatabaseMetaData.class, real, "getDatabaseProductVersion", () -> "5.7.44-log");
        }

        private static <T> T proxy(Class<T> type, T real, String method, java.util.concurrent.Callable<?> instead) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, called, arguments) -> {
                        try {
                            return called.getName().equals(method) ? instead.call() : called.invoke(real, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    }));
        }
    }
}
