package io.rowlock.recipes.flyway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.recipes.Application;
import io.rowlock.test.DatabaseServer;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import io.rowlock.test.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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

    @Test
    void nodesThatStartAtOnceMigrateOnceAndFillEveryRow(DatabaseServer server) {
        try (TestSchema schema = server.createSchema()) {
            JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
            List<CompletableFuture<ConfigurableApplicationContext>> starts = Stream.generate(
                            () -> CompletableFuture.supplyAsync(() -> node(schema), task -> new Thread(task).start()))
                    .limit(2)
                    .toList();
            try (ConfigurableApplicationContext one = starts.get(0).join();
                    ConfigurableApplicationContext two = starts.get(1).join()) {
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(missing(jdbc)).isZero());
                assertThat(jdbc.queryForList(
                                "SELECT version FROM flyway_schema_history WHERE success ORDER BY installed_rank",
                                String.class))
                        .containsExactly("1", "2");
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

    private static ConfigurableApplicationContext node(TestSchema schema) {
        return new Application(schema, Backfill.class, Rows.class, Async.class)
                .using("org.springframework.boot.flyway.")
                .with("spring.flyway.locations", "classpath:recipes/flyway")
                .start();
    }

    @EnableAsync
    static class Async {}
}
