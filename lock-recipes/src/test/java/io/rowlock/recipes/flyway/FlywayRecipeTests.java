package io.rowlock.recipes.flyway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableAsync;

/** Nodes of a new version that start at once, on an empty schema. */
@OnServer(ServerFlavor.MYSQL)
class FlywayRecipeTests {
    private static final String LOGGING = "org.springframework.boot.logging.LoggingSystem";

    /** Two applications of one JVM cannot set up its logging at once. */
    @BeforeAll
    static void leaveLoggingAlone() {
        System.setProperty(LOGGING, "none");
    }

    @AfterAll
    static void setLoggingUp() {
        System.clearProperty(LOGGING);
    }

    /** Migrates the application's schema, and notes what it has run. */
    enum Tool {
        FLYWAY(
                "spring.flyway.locations",
                "recipes/flyway",
                "SELECT version FROM flyway_schema_history WHERE success ORDER BY 1"),
        LIQUIBASE(
                "spring.liquibase.change-log",
                "recipes/liquibase/changelog.sql",
                "SELECT id FROM DATABASECHANGELOG ORDER BY 1");

        private final String property;
        private final String scripts;
        private final String history;

        Tool(String property, String scripts, String history) {
            this.property = property;
            this.scripts = scripts;
            this.history = history;
        }
    }

    @ParameterizedTest
    @EnumSource(Tool.class)
    void nodesThatStartAtOnceMigrateOnceAndFillEveryRow(Tool tool, DatabaseServer server) {
        try (TestSchema schema = server.createSchema()) {
            JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
            List<CompletableFuture<ConfigurableApplicationContext>> starts = new ArrayList<>();
            for (int node = 1; node <= 2; node++) {
                starts.add(CompletableFuture.supplyAsync(() -> node(schema, tool), task -> new Thread(task).start()));
                if (tool == Tool.LIQUIBASE) { // two nodes would create its own tables at once, before it locks one of
                    // them
                    starts.get(0).join();
                }
            }
            try (ConfigurableApplicationContext one = starts.get(0).join();
                    ConfigurableApplicationContext two = starts.get(1).join()) {
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(missing(jdbc)).isZero());
                assertThat(jdbc.queryForList(tool.history, String.class)).containsExactly("1", "2");
                assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM purchase WHERE total = 6", Integer.class))
                        .isGreaterThan(4000);
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(jdbc.queryForList(
                                        "SELECT DISTINCT lock_key FROM rowlock_lock_log WHERE status = 'RELEASED'",
                                        String.class))
                                .containsExactly("backfill"));
                refusesTheBatchOfALostLock(schema, jdbc, one, two);
            }
        }
    }

    /** As if the node had been paused between two batches. */
    private static void refusesTheBatchOfALostLock(
            TestSchema schema,
            JdbcTemplate jdbc,
            ConfigurableApplicationContext one,
            ConfigurableApplicationContext two) {
        jdbc.update("UPDATE purchase SET total = NULL");
        int before = missing(jdbc);
        try (HeldLock paused = one.getBean(LockClient.class).acquire(LockRequest.exclusive("backfill"))) {
            Application.expire(schema, paused.key());
            try (HeldLock next = two.getBean(LockClient.class).acquire(LockRequest.exclusive("backfill"))) {
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> one.getBean(Rows.class).fill());
                assertThat(missing(jdbc)).isEqualTo(before);
                assertThat(next.isHeld()).isTrue();
            }
        }
    }

    private static Integer missing(JdbcTemplate jdbc) {
        return jdbc.queryForObject("SELECT COUNT(*) FROM purchase WHERE total IS NULL", Integer.class);
    }

    private static ConfigurableApplicationContext node(TestSchema schema, Tool tool) {
        return new Application(schema, Backfill.class, Rows.class, Async.class)
                .using("org.springframework.boot." + tool.name().toLowerCase(Locale.ROOT) + ".")
                .with(tool.property, "classpath:" + tool.scripts)
                .start();
    }

    @EnableAsync
    static class Async {}
}
