package io.rowlock.recipes.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.baomidou.dynamic.datasource.annotation.DS;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.instrumentation.jdbc.datasource.JdbcTelemetry;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import net.ttddyy.dsproxy.proxy.ProxyJdbcObject;
import org.apache.shardingsphere.driver.ShardingSphereDriver;
import org.apache.shardingsphere.driver.jdbc.core.connection.ShardingSphereConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Starts, excludes and fences: with the pools and routers that configure themselves, drivers around drivers, and wrappers. */
@OnServer(ServerFlavor.MYSQL)
@ExtendWith(OutputCaptureExtension.class)
class PoolsAndRoutersTests {
    private static TestSchema schema;
    private static TestSchema elsewhere;
    private static ConfigurableApplicationContext other;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = server.createSchema();
        elsewhere = server.createSchema();
        rows(schema).execute("CREATE TABLE work (id INT)");
        rows(elsewhere).execute("CREATE TABLE work (id INT)");
        other = new Application(schema).start();
    }

    @AfterAll
    static void stop() {
        if (schema != null) {
            other.close();
            schema.close();
            elsewhere.close();
        }
    }

    @BeforeEach
    void empty() {
        rows(schema).execute("DELETE FROM work");
        rows(elsewhere).execute("DELETE FROM work");
    }

    @Test
    void druidStarter() {
        excludesAndFences(
                new Application(schema, Work.class).using("com.alibaba.druid."),
                context -> assertThat(
                                context.getBean(DataSource.class).getClass().getName())
                        .startsWith("com.alibaba.druid."));
    }

    @Test
    void p6spy() {
        excludesAndFences(
                new Application(schema, Work.class)
                        .with("spring.datasource.url", schema.jdbcUrl().replace("jdbc:", "jdbc:p6spy:"))
                        .with("spring.datasource.driver-class-name", "com.p6spy.engine.spy.P6SpyDriver"),
                context -> assertThat(wraps(context, com.p6spy.engine.wrapper.ConnectionWrapper.class))
                        .isTrue());
    }

    @Test
    void awsWrapper() {
        excludesAndFences(
                new Application(schema, Work.class)
                        .with("spring.datasource.url", schema.jdbcUrl().replace("jdbc:", "jdbc:aws-wrapper:"))
                        .with("spring.datasource.driver-class-name", "software.amazon.jdbc.Driver"),
                context -> assertThat(wraps(context, software.amazon.jdbc.wrapper.ConnectionWrapper.class))
                        .isTrue());
    }

    @Test
    void datasourceMicrometer() {
        excludesAndFences(
                new Application(schema, Work.class, Observations.class).using("net.ttddyy.observation."),
                context -> assertThat(wraps(context, ProxyJdbcObject.class)).isTrue());
    }

    @Test
    void openTelemetry() {
        excludesAndFences(
                new Application(schema, Work.class, Telemetry.class),
                context -> assertThat(
                                context.getBean(DataSource.class).getClass().getName())
                        .startsWith("io.opentelemetry."));
    }

    @Test
    void dynamicDatasource() {
        excludesAndFences(
                dynamic(),
                context -> assertThat(
                                context.getBean(DataSource.class).getClass().getName())
                        .startsWith("com.baomidou.dynamic."));
    }

    @Test
    void routeOfDynamicDatasourceToAnotherDatabaseIsNotCoveredAndSaysSo(CapturedOutput output) {
        try (ConfigurableApplicationContext context = dynamic().start()) {
            context.getBean(Work.class)
                    .addElsewhere(() -> assertThat(canLock("elsewhere")).isFalse());
            assertThat(count(elsewhere)).isOne();
            assertThat(output).contains("is on another database", "not covered");
        }
    }

    /** Reads which tables there are when it starts: here another node has created the lock tables before. */
    @Test
    void shardingSphere(@TempDir Path folder) throws IOException {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, """
                databaseName: shop
                mode:
                  type: Standalone
                  repository:
                    type: JDBC
                dataSources:
                  one:
                    dataSourceClassName: com.zaxxer.hikari.HikariDataSource
                    driverClassName: com.mysql.cj.jdbc.Driver
                    jdbcUrl: "%s"
                    username: "%s"
                    password: "%s"
                rules:
                - !SINGLE
                  tables:
                  - "*.*"
                """.formatted(schema.jdbcUrl(), schema.username(), schema.password()));
        excludesAndFences(
                new Application(schema, Work.class)
                        .with("spring.datasource.url", "jdbc:shardingsphere:absolutepath:" + rules)
                        .with("spring.datasource.driver-class-name", ShardingSphereDriver.class.getName())
                        .withAddressOfLocks(),
                context -> assertThat(wraps(context, ShardingSphereConnection.class))
                        .isTrue());
    }

    private static Application dynamic() {
        Application application = new Application(schema, Work.class)
                .using("com.baomidou.dynamic.")
                .with("logging.level.io.rowlock", "info")
                .with("spring.datasource.dynamic.primary", "master")
                .withAddressOfLocks();
        return route(route(application, "master", schema), "other", elsewhere);
    }

    private static Application route(Application application, String name, TestSchema to) {
        String property = "spring.datasource.dynamic.datasource." + name;
        return application
                .with(property + ".url", to.jdbcUrl())
                .with(property + ".username", to.username())
                .with(property + ".password", to.password())
                .with(property + ".driver-class-name", "com.mysql.cj.jdbc.Driver");
    }

    private interface Proof {
        /** The application runs with what the test is about. */
        void of(ConfigurableApplicationContext context);
    }

    private static void excludesAndFences(Application application, Proof proof) {
        try (ConfigurableApplicationContext context = application.start()) {
            proof.of(context);
            Work work = context.getBean(Work.class);
            work.add(() -> assertThat(canLock("add")).isFalse());
            assertThat(count(schema)).isOne();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> work.add(() -> {
                        Application.expire(schema, "add");
                        assertThat(canLock("add")).isTrue();
                    }));
            assertThat(count(schema)).isOne();
        }
    }

    private static boolean wraps(ConfigurableApplicationContext context, Class<?> type) {
        try (Connection connection = context.getBean(DataSource.class).getConnection()) {
            return type.isInstance(connection) || connection.isWrapperFor(type);
        } catch (SQLException ex) {
            throw new AssertionError(ex);
        }
    }

    private static boolean canLock(String key) {
        return other.getBean(LockClient.class)
                .tryAcquire(LockRequest.exclusive(key))
                .map(lock -> {
                    lock.close();
                    return true;
                })
                .orElse(false);
    }

    private static JdbcTemplate rows(TestSchema in) {
        return new JdbcTemplate(in.dataSource());
    }

    private static Integer count(TestSchema in) {
        return rows(in).queryForObject("SELECT COUNT(*) FROM work", Integer.class);
    }

    static class Work {
        private final JdbcTemplate jdbc;

        Work(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock("add")
        @Transactional
        public void add(Runnable during) {
            jdbc.update("INSERT INTO work VALUES (1)");
            during.run();
        }

        @DS("other")
        @DistributedLock("elsewhere")
        @Transactional
        public void addElsewhere(Runnable during) {
            jdbc.update("INSERT INTO work VALUES (1)");
            during.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Observations {
        @Bean
        ObservationRegistry observations() {
            return ObservationRegistry.create();
        }

        @Bean
        Tracer tracer() {
            return Tracer.NOOP;
        }
    }

    /** As OpenTelemetry's starter does it. */
    @Configuration(proxyBeanMethods = false)
    static class Telemetry {
        @Bean
        static BeanPostProcessor traced() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DataSource pool
                            ? JdbcTelemetry.create(OpenTelemetry.noop()).wrap(pool)
                            : bean;
                }
            };
        }
    }
}
