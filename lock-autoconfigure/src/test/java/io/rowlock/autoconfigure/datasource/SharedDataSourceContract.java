package io.rowlock.autoconfigure.datasource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.DatabaseServer;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.IsolationLevelDataSourceAdapter;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks work on whatever DataSource an application has, and leave its transactions and its sessions alone. */
@ExtendWith(OutputCaptureExtension.class)
abstract class SharedDataSourceContract {
    private static final LockRequest KEY = LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(5));

    private static FreshSchema schema;

    @BeforeAll
    static void createSchema(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE entry (id INT)");
        schema.jdbc()
                .execute("CREATE DATABASE %s_other".formatted(schema.schema().name()));
    }

    @AfterAll
    static void dropSchema() {
        if (schema != null) {
            schema.jdbc()
                    .execute("DROP DATABASE %s_other".formatted(schema.schema().name()));
            schema.close();
        }
    }

    @BeforeEach
    void empty() {
        schema.jdbc().execute("DELETE FROM entry");
    }

    private static TestApplication application(Class<?> dataSource) {
        return new TestApplication(schema, dataSource);
    }

    private static TestApplication sharing(Class<?> dataSource) {
        return application(dataSource).with("rowlock.pool.shared", "true");
    }

    /** Takes and gives back a lock in a transaction that is rolled back. @return how many rows of it are left */
    private static int rowsLeftAfterRollback(ConfigurableApplicationContext context) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        LockClient locks = context.getBean(LockClient.class);
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            jdbc.execute("INSERT INTO entry VALUES (1)");
            try (HeldLock lock = locks.acquire(KEY)) {
                assertThat(lock.isHeld()).isTrue();
                status.setRollbackOnly();
            }
        });
        return count("SELECT COUNT(*) FROM entry");
    }

    private static int count(String sql) {
        Integer count = schema.jdbc().queryForObject(sql, Integer.class);
        return count == null ? -1 : count;
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TransactionAware.class,
                TransactionAwareLazy.class,
                LazyTransactionAware.class,
                Adapted.class,
                Wrapped.class
            })
    void sharedPoolLeavesTheTransactionAlone(Class<?> dataSource) {
        try (var context = sharing(dataSource).start()) {
            assertThat(rowsLeftAfterRollback(context)).isZero();
            context.getBean(LockClient.class).acquire(KEY).close();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {TransactionAware.class, TransactionAwareLazy.class, Adapted.class, Wrapped.class})
    void ownPoolIsDerivedFromWhateverWrapsOne(Class<?> dataSource) {
        try (var context = application(dataSource).start()) {
            assertThat(rowsLeftAfterRollback(context)).isZero();
            assertThat(context.getBean("rowlockDataSource")).isInstanceOf(HikariDataSource.class);
        }
    }

    @Test
    void declaredProxyIsLookedThrough() {
        try (var context = application(Declared.class).start()) {
            assertThat(rowsLeftAfterRollback(context)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("unfit")
    void unfitDataSourceIsRefusedByName(Class<?> dataSource, String why, CapturedOutput output) {
        assertThatException().isThrownBy(sharing(dataSource)::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The DataSource \"theirs\" " + why)
                .contains("a bean named \"rowlockDataSource\"");
    }

    static Stream<Arguments> unfit() {
        return Stream.of(
                Arguments.of(Hidden.class, "gives locks the connection of the thread's own transaction"),
                Arguments.of(Routing.class, "routes each thread"),
                Arguments.of(LazyRouting.class, "routes each thread"));
    }

    @Test
    void ownPoolIsNotDerivedFromOneRoute(CapturedOutput output) {
        assertThatException().isThrownBy(application(Routing.class)::start);
        assertThat(output).contains("cannot derive its connection pool");
    }

    @Test
    void connectionOfTheTransactionIsRefusedThoughNothingToldOfIt(CapturedOutput output) {
        try (var context = sharing(Disguised.class).start()) {
            assertThatException()
                    .isThrownBy(() -> rowsLeftAfterRollback(context))
                    .withMessageContaining("gives out the connection of the thread's own transaction");
            assertThat(count("SELECT COUNT(*) FROM entry")).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "auto-commit | false",
                "transaction-isolation | TRANSACTION_SERIALIZABLE",
                "read-only | true",
                "connection-init-sql | SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "connection-init-sql | SET SESSION autocommit=0, sql_mode='ANSI,TRADITIONAL,NO_BACKSLASH_ESCAPES', time_zone='-08:00'",
                "connection-init-sql | SET SESSION sql_safe_updates=1",
                "connection-init-sql | SET SESSION TRANSACTION READ ONLY"
            })
    void settingsOfASharedPoolAreMetAndLeftAsTheyWere(String property, String value) throws SQLException {
        TestApplication application = new TestApplication(schema)
                .with("rowlock.pool.shared", "true")
                .with("spring.datasource.hikari.maximum-pool-size", "1")
                .with("spring.datasource.hikari." + property, value);
        schema.jdbc().update("DELETE FROM entry");
        try (var context = application.start()) {
            DataSource pool = context.getBean(DataSource.class);
            Map<String, Object> before = session(pool);
            LockClient locks = context.getBean(LockClient.class);
            for (int i = 0; i < 2; i++) {
                locks.acquire(KEY).close();
                locks.acquire(LockRequest.shared("b")).close();
                locks.acquire(LockRequest.exclusive("c").withStrategy("unique-key"))
                        .close();
            }
            assertThat(session(pool)).isEqualTo(before);
        }
    }

    /** As the server and the driver have it. */
    private static Map<String, Object> session(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            Map<String, Object> session = new JdbcTemplate(
                            new org.springframework.jdbc.datasource.SingleConnectionDataSource(connection, true))
                    .queryForMap("SELECT CONNECTION_ID() AS id, @@autocommit AS a, @@session.sql_mode AS m, "
                            + "@@time_zone AS z, DATABASE() AS d");
            session.put("autocommit", connection.getAutoCommit());
            session.put("isolation", connection.getTransactionIsolation());
            session.put("readOnly", connection.isReadOnly());
            session.put("network", connection.getNetworkTimeout());
            return session;
        }
    }

    @Test
    void connectionTheApplicationMovedElsewhereStillFindsTheTables() {
        try (var context = sharing(Moved.class).start()) {
            LockClient locks = context.getBean(LockClient.class);
            Moved.away = schema.schema().name() + "_other";
            locks.acquire(KEY).close();
            assertThat(Moved.last).isEqualTo(Moved.away);
        } finally {
            Moved.away = null;
        }
    }

    private static HikariDataSource pool(Environment environment) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(environment.getRequiredProperty("spring.datasource.url"));
        pool.setUsername(environment.getRequiredProperty("spring.datasource.username"));
        pool.setPassword(environment.getRequiredProperty("spring.datasource.password"));
        pool.setMaximumPoolSize(4);
        return pool;
    }

    @Configuration(proxyBeanMethods = false)
    static class TransactionAware {
        @Bean
        DataSource theirs(Environment environment) {
            return new TransactionAwareDataSourceProxy(pool(environment));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TransactionAwareLazy {
        @Bean
        DataSource theirs(Environment environment) {
            return new TransactionAwareDataSourceProxy(new LazyConnectionDataSourceProxy(pool(environment)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyTransactionAware {
        @Bean
        DataSource theirs(Environment environment) {
            return new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(pool(environment)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Adapted {
        @Bean
        DataSource theirs(Environment environment) {
            IsolationLevelDataSourceAdapter adapter = new IsolationLevelDataSourceAdapter();
            adapter.setTargetDataSource(pool(environment));
            return new TransactionAwareDataSourceProxy(adapter);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Wrapped {
        @Bean
        DataSource theirs(Environment environment) {
            return new Wrapper(pool(environment));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Declared {
        @Bean
        HikariDataSource theirs(Environment environment) {
            return pool(environment);
        }

        @Bean(autowireCandidate = false)
        DataSource rowlockDataSource(HikariDataSource theirs) {
            return new TransactionAwareDataSourceProxy(theirs);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hidden {
        @Bean
        DataSource theirs(Environment environment) {
            return new DelegatingDataSource(new TransactionAwareDataSourceProxy(pool(environment)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Routing {
        @Bean
        DataSource theirs(Environment environment) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return "one";
                }
            };
            routing.setTargetDataSources(Map.of("one", pool(environment)));
            return routing;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyRouting {
        @Bean
        DataSource theirs(Environment environment) {
            return new LazyConnectionDataSourceProxy(new Routing().theirs(environment));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Disguised {
        @Bean
        DataSource theirs(Environment environment) {
            return new Wrapper(new TransactionAwareDataSourceProxy(pool(environment))) {
                @Override
                public boolean isWrapperFor(Class<?> type) {
                    return false;
                }
            };
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource theirs) {
            return new org.springframework.jdbc.datasource.DataSourceTransactionManager(
                    ((TransactionAwareDataSourceProxy) ((Wrapper) theirs).target).getTargetDataSource());
        }

        @Bean
        JdbcTemplate jdbcTemplate(DataSource theirs) {
            return new JdbcTemplate(theirs);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Moved {
        private static volatile String away;
        private static volatile String last;

        @Bean
        DataSource theirs(Environment environment) {
            return new DelegatingDataSource(pool(environment)) {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection connection = super.getConnection();
                    if (away != null) {
                        connection.setCatalog(away);
                    }
                    return (Connection) java.lang.reflect.Proxy.newProxyInstance(
                            getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                                if (method.getName().equals("close")) {
                                    last = connection.getCatalog();
                                }
                                return method.invoke(connection, args);
                            });
                }
            };
        }
    }

    /** As tools that trace statements wrap a DataSource: no Spring class, but unwrapped as JDBC has it. */
    private static class Wrapper implements DataSource {
        private final DataSource target;

        Wrapper(DataSource target) {
            this.target = target;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return target.getConnection();
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return target.getConnection(username, password);
        }

        @Override
        public PrintWriter getLogWriter() throws SQLException {
            return target.getLogWriter();
        }

        @Override
        public void setLogWriter(PrintWriter out) throws SQLException {
            target.setLogWriter(out);
        }

        @Override
        public void setLoginTimeout(int seconds) throws SQLException {
            target.setLoginTimeout(seconds);
        }

        @Override
        public int getLoginTimeout() throws SQLException {
            return target.getLoginTimeout();
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return type.isInstance(this) ? type.cast(this) : target.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return type.isInstance(this) || target.isWrapperFor(type);
        }
    }
}
