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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.IsolationLevelDataSourceAdapter;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks work whatever DataSource an application has and however its sessions are set, and leave its transactions alone. */
@ExtendWith(OutputCaptureExtension.class)
@OnEachServer
class ApplicationDataSourceTests {
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
            assertThat(context.getBeansOfType(DataSource.class))
                    .doesNotContainValue(context.getBean(LockPools.class).locks());
        }
    }

    @Test
    void ownPoolIsNotDerivedFromOneRoute(CapturedOutput output) {
        assertThatException().isThrownBy(application(Routing.class)::start);
        assertThat(output)
                .contains("cannot derive its connection pool")
                .contains("Set rowlock.datasource.url")
                .doesNotContain("a bean named");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "auto-commit | false",
                "transaction-isolation | TRANSACTION_SERIALIZABLE",
                "read-only | true",
                "connection-init-sql | SET SESSION autocommit=0, sql_mode='ANSI,TRADITIONAL,NO_BACKSLASH_ESCAPES', time_zone='-08:00'"
            })
    void settingsOfTheApplicationsPoolAreNotTakenOver(String property, String value) {
        locksWork(new TestApplication(schema).with("spring.datasource.hikari." + property, value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "transaction_isolation='SERIALIZABLE'",
                "autocommit=0,time_zone='-08:00'",
                "sql_mode='ANSI,TRADITIONAL,NO_BACKSLASH_ESCAPES'",
                "sql_safe_updates=1",
                "completion_type=2",
                "transaction_read_only=1"
            })
    void settingsOfSessionsInTheUrlAreMet(String variables) {
        locksWork(new TestApplication(schema)
                .with("rowlock.datasource.url", schema.schema().jdbcUrl() + "&sessionVariables=" + variables)
                .with("rowlock.datasource.username", schema.schema().username())
                .with("rowlock.datasource.password", schema.schema().password()));
    }

    /** A limit that a server sets for the rows of all answers must not hide a reader from a writer who looks for readers. */
    @Test
    void limitOfRowsHidesNoReader() {
        try (var one = new TestApplication(schema).start();
                var limited = limited().start();
                HeldLock reader = one.getBean(LockClient.class).acquire(LockRequest.shared("read"))) {
            assertThat(limited.getBean(LockClient.class).tryAcquire(LockRequest.exclusive("read")))
                    .isEmpty();
            assertThat(reader.isHeld()).isTrue();
        }
    }

    /** Nor the row that a commit keeps locked while it is under way. */
    @Test
    void limitOfRowsHidesNoBarrier() {
        LockRequest request = LockRequest.exclusive("checked").withStrategy("row-lock");
        try (var limited = limited().start()) {
            LockClient locks = limited.getBean(LockClient.class);
            locks.acquire(request).close();
            new TransactionTemplate(limited.getBean(PlatformTransactionManager.class)).executeWithoutResult(commit -> {
                limited.getBean(JdbcTemplate.class)
                        .queryForList(
                                "SELECT slot FROM rowlock_row WHERE lock_key = 'checked' AND slot = -1 FOR UPDATE");
                CompletableFuture<Optional<HeldLock>> other =
                        CompletableFuture.supplyAsync(() -> locks.tryAcquire(request));
                assertThat(other.join()).isEmpty();
            });
            assertThat(locks.tryAcquire(request)).hasValueSatisfying(HeldLock::close);
        }
    }

    private static TestApplication limited() {
        return new TestApplication(schema)
                .with("spring.datasource.url", schema.schema().jdbcUrl() + "&sessionVariables=sql_select_limit=1");
    }

    private static void locksWork(TestApplication application) {
        try (var context = application.with("rowlock.pool.size", "2").start()) {
            LockClient locks = context.getBean(LockClient.class);
            for (int i = 0; i < 2; i++) {
                locks.acquire(KEY).close();
                locks.acquire(LockRequest.shared("b")).close();
                locks.acquire(LockRequest.exclusive("c").withStrategy("unique-key"))
                        .close();
                locks.acquire(LockRequest.exclusive("d").withStrategy("row-lock"))
                        .close();
            }
            LockPools pools = context.getBean(LockPools.class);
            for (DataSource pool : List.of(pools.locks(), pools.waiting(), pools.batches())) {
                assertThat(new JdbcTemplate(pool)
                                .queryForList(
                                        "SELECT CONCAT_WS(' ', @@transaction_isolation, 0 + @@transaction_read_only, 0 + @@autocommit, @@time_zone, @@innodb_lock_wait_timeout, 0 + @@sql_safe_updates, @@completion_type)",
                                        String.class))
                        .containsExactly("READ-COMMITTED 0 1 +00:00 1 0 NO_CHAIN");
            }
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
}
