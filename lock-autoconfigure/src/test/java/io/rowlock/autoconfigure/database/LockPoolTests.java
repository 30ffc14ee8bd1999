package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.micrometer.core.instrument.MeterRegistry;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

@OnServer
@ExtendWith(OutputCaptureExtension.class)
class LockPoolTests {
    private static FreshSchema schema;
    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        context = new TestApplication(schema).start();
    }

    @AfterAll
    static void stop() {
        if (context != null) {
            context.close();
            schema.close();
        }
    }

    @Test
    void sessionsAreSetForLocks() {
        JdbcTemplate locks = new JdbcTemplate(context.getBean(LockPools.class).locks());
        long queryTimeout =
                context.getBean(RowlockProperties.class).pool().queryTimeout().toSeconds();
        assertThat(locks.queryForMap("SELECT @@transaction_isolation AS isolation, @@time_zone AS zone, "
                        + "@@innodb_lock_wait_timeout AS patience, @@autocommit AS autocommit, DATABASE() AS name, "
                        + "@@wait_timeout AS silence, @@lock_wait_timeout AS tables"))
                .containsEntry("isolation", "READ-COMMITTED")
                .containsEntry("zone", "+00:00")
                .hasEntrySatisfying("patience", patience -> assertThat(patience).hasToString("1"))
                .containsEntry("autocommit", 1L)
                .hasEntrySatisfying("silence", silence -> assertThat(silence).hasToString("300"))
                .hasEntrySatisfying("tables", tables -> assertThat(tables).hasToString(Long.toString(queryTimeout + 2)))
                .containsEntry("name", schema.schema().name());
    }

    /** They would end a wait, and so the place in the line. */
    @Test
    void limitsOfStatementsDoNotApplyToWaiters() {
        boolean mariaDb =
                Boolean.TRUE.equals(schema.jdbc().queryForObject("SELECT VERSION() LIKE '%MariaDB%'", Boolean.class));
        String limit = mariaDb ? "max_statement_time" : "max_execution_time";
        TestApplication application = new TestApplication(schema)
                .with("spring.datasource.url", schema.schema().jdbcUrl() + "&sessionVariables=" + limit + "=1000");
        try (var limited = application.start()) {
            JdbcTemplate waiting =
                    new JdbcTemplate(limited.getBean(LockPools.class).waiting());
            assertThat(limited.getBean(JdbcTemplate.class).queryForObject("SELECT @@" + limit, Integer.class))
                    .isEqualTo(1000);
            assertThat(waiting.queryForObject("SELECT @@" + limit, Integer.class))
                    .isZero();
        }
    }

    @Test
    void sessionsOfTheApplicationAreNot() {
        JdbcTemplate application = context.getBean(JdbcTemplate.class);
        assertThat(application.queryForMap("SELECT @@innodb_lock_wait_timeout AS patience"))
                .hasEntrySatisfying("patience", patience -> assertThat(patience).hasToString("50"));
    }

    @Test
    void statementsArePreparedOnTheServer() {
        JdbcTemplate locks = new JdbcTemplate(context.getBean(LockPools.class).locks());
        Integer prepared = locks.execute((Connection connection) -> {
            try (var statement = connection.prepareStatement("SELECT ?")) {
                statement.setInt(1, 1);
                statement.execute();
            }
            try (var counted = connection.createStatement();
                    var rows = counted.executeQuery("SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")) {
                rows.next();
                return rows.getInt(2);
            }
        });
        assertThat(prepared).isPositive();
    }

    /** Connector/J applies one limit to every login of the JVM. */
    @Test
    void limitOfLoginsStaysThatOfTheApplication() {
        int seconds = 17; // which no other pool of these tests has
        TestApplication application =
                new TestApplication(schema).with("rowlock.pool.connection-timeout", seconds + "s");
        try (var patient = application.start()) {
            patient.getBean(LockPools.class).all().forEach(pool -> new JdbcTemplate(pool).execute("DO 0"));
            assertThat(DriverManager.getLoginTimeout()).isNotEqualTo(seconds);
        }
    }

    /** Its login alone has a limit; it waits for rows for as long as the server lets it. */
    @Test
    void migrationTakesAsLongAsItTakes() {
        context.getBean(LockPools.class).forSchema(Duration.ofSeconds(30), patient -> {
            try (Connection connection = patient.getConnection()) {
                assertThat(connection.getNetworkTimeout()).isZero();
                JdbcTemplate migration = new JdbcTemplate(new SingleConnectionDataSource(connection, true));
                assertThat(migration.queryForObject(
                                "SELECT @@innodb_lock_wait_timeout = @@global.innodb_lock_wait_timeout", Boolean.class))
                        .isTrue();
            } catch (SQLException ex) {
                throw new AssertionError(ex);
            }
        });
    }

    @Test
    void healthShowsTheDatabaseOnce() {
        assertThat(context.getBean("dbHealthContributor")).isInstanceOf(HealthIndicator.class);
    }

    @Test
    void metricsShowThePool() {
        new JdbcTemplate(context.getBean(LockPools.class).locks()).execute("DO 0");
        assertThat(context.getBean(MeterRegistry.class)
                        .get("hikaricp.connections.max")
                        .tag("pool", "rowlock")
                        .gauge()
                        .value())
                .isEqualTo(8);
    }

    @Test
    void unreachableDatabaseIsExplained(CapturedOutput output) {
        TestApplication application = new TestApplication(schema)
                .with("spring.datasource.url", "jdbc:mysql://127.0.0.1:1/test")
                .with("rowlock.pool.connection-timeout", "500ms");
        assertThatException().isThrownBy(application::start);
        assertThat(output)
                .contains("accepts no connection: Communications link failure")
                .contains("rowlock.schema.initialize to never");
    }

    @Test
    void badValueIsExplained(CapturedOutput output) {
        TestApplication application = new TestApplication(schema).with("rowlock.pool.size", "0");
        assertThatException().isThrownBy(application::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("rowlock.pool.size")
                .contains("It must be 1 to 1000");
    }
}
