package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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

/** Locks work on whatever DataSource an application declares for them, and leave its transactions alone. */
@ExtendWith(OutputCaptureExtension.class)
@OnEachServer
class DeclaredDataSourceTests {
    private static final LockRequest KEY = LockRequest.exclusive("a").withWaitTime(Duration.ofSeconds(5));

    private static FreshSchema schema;

    @BeforeServer
    static void create(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE entry (id INT)");
    }

    @AfterServer
    static void drop() {
        schema.close();
    }

    @BeforeEach
    void empty() {
        schema.jdbc().execute("DELETE FROM entry");
    }

    private static TestApplication application(Class<?> dataSource) {
        return new TestApplication(schema, dataSource);
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
    @ValueSource(classes = {TransactionAware.class, TransactionAwareLazy.class, Adapted.class, Wrapped.class})
    void ownPoolIsDerivedFromWhateverWrapsOne(Class<?> dataSource) {
        try (var context = application(dataSource).start()) {
            assertThat(rowsLeftAfterRollback(context)).isZero();
            assertThat(context.getBean("rowlockDataSource")).isInstanceOf(HikariDataSource.class);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Declared.class, DeclaredLazy.class})
    void declaredProxyIsLookedThrough(Class<?> dataSource) {
        try (var context = application(dataSource).start()) {
            assertThat(rowsLeftAfterRollback(context)).isZero();
        }
    }

    @Test
    void declaredDataSourceThatHidesATransactionAwareOneIsRefused(CapturedOutput output) {
        assertThatException().isThrownBy(application(Hidden.class)::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "The DataSource \"rowlockDataSource\" gives locks the connection of the thread's own transaction");
    }

    @Test
    void ownPoolIsNotDerivedFromOneRoute(CapturedOutput output) {
        assertThatException().isThrownBy(application(Routing.class)::start);
        assertThat(output)
                .contains("cannot derive its connection pool")
                .contains("Set rowlock.datasource.url")
                .contains("a bean named \"rowlockDataSource\"");
    }

    @Test
    void connectionOfTheTransactionIsRefusedThoughNothingToldOfIt(CapturedOutput output) {
        try (var context = application(Disguised.class).start()) {
            assertThatException()
                    .isThrownBy(() -> rowsLeftAfterRollback(context))
                    .withMessageContaining("gives out the connection of the thread's own transaction");
            assertThat(count("SELECT COUNT(*) FROM entry")).isZero();
        }
    }

    @Test
    void oneDeclaredConnectionSufficesButProvesNothing(CapturedOutput output) {
        TestApplication application = application(DeclaredWithSettings.class).with("declared.maximum-pool-size", "1");
        try (var context = application.start()) {
            context.getBean(LockClient.class).acquire(KEY).close();
        }
        assertThat(output).contains("not proven: the DataSource for locks gave no two connections at once");
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
    void settingsOfADeclaredPoolAreMet(String property, String value) {
        TestApplication application = new TestApplication(schema, DeclaredWithSettings.class)
                .with("declared.maximum-pool-size", "2")
                .with("declared." + property, value);
        try (var context = application.start()) {
            LockClient locks = context.getBean(LockClient.class);
            for (int i = 0; i < 2; i++) {
                locks.acquire(KEY).close();
                locks.acquire(LockRequest.shared("b")).close();
                locks.acquire(LockRequest.exclusive("c").withStrategy("unique-key"))
                        .close();
            }
            assertThat(new JdbcTemplate(context.getBean(LockDataSource.class).connections())
                            .queryForObject("SELECT @@innodb_lock_wait_timeout", Integer.class))
                    .isOne();
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
            return new TracingDataSource(pool(environment));
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
    static class DeclaredLazy {
        @Bean
        HikariDataSource theirs(Environment environment) {
            return pool(environment);
        }

        @Bean(autowireCandidate = false)
        DataSource rowlockDataSource(HikariDataSource theirs) {
            return new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(theirs));
        }
    }

    /** Set as the test says, as a pool of its own. */
    @Configuration(proxyBeanMethods = false)
    static class DeclaredWithSettings {
        @Bean
        HikariDataSource theirs(Environment environment) {
            return pool(environment);
        }

        @Bean(autowireCandidate = false)
        HikariDataSource rowlockDataSource(Environment environment) {
            HikariDataSource pool = pool(environment);
            Binder.get(environment).bind("declared", Bindable.ofInstance(pool));
            return pool;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Hidden {
        @Bean
        HikariDataSource theirs(Environment environment) {
            return pool(environment);
        }

        @Bean(autowireCandidate = false)
        DataSource rowlockDataSource(HikariDataSource theirs) {
            return new DelegatingDataSource(new TransactionAwareDataSourceProxy(theirs));
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
    static class Disguised {
        @Bean
        HikariDataSource theirs(Environment environment) {
            return pool(environment);
        }

        @Bean(autowireCandidate = false)
        DataSource rowlockDataSource(HikariDataSource theirs) {
            return new TracingDataSource(new TransactionAwareDataSourceProxy(theirs)) {
                @Override
                public boolean isWrapperFor(Class<?> type) {
                    return false;
                }
            };
        }
    }
}
