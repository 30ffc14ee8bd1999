package io.rowlock.recipes.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An event whose listener fails, and two nodes that resubmit it. */
@OnServer(ServerFlavor.MYSQL)
class ModulithRecipeTests {
    private static TestSchema schema;
    private static JdbcTemplate jdbc;
    private static ConfigurableApplicationContext one;
    private static ConfigurableApplicationContext two;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = server.createSchema();
        jdbc = new JdbcTemplate(schema.dataSource());
        jdbc.execute("CREATE TABLE shipment (order_id BIGINT PRIMARY KEY)");
        one = node();
        two = node();
    }

    private static ConfigurableApplicationContext node() {
        return new Application(schema, Shipping.class, Resubmission.class)
                .using("org.springframework.modulith.")
                .with("spring.modulith.events.jdbc.schema-initialization.enabled", "true")
                .start();
    }

    @AfterAll
    static void stop() {
        if (schema != null) {
            one.close();
            two.close();
            schema.close();
        }
    }

    @BeforeEach
    void empty() {
        jdbc.execute("DELETE FROM shipment");
        jdbc.execute("DELETE FROM EVENT_PUBLICATION");
        jdbc.execute("UPDATE rowlock_lock SET expires_at = '1970-01-01'");
        jdbc.execute("DELETE FROM rowlock_lock_log");
    }

    @Test
    void oneOfTwoNodesResubmits() {
        jdbc.execute("RENAME TABLE shipment TO elsewhere");
        try {
            place(1);
            awaitPublications("FAILED");
        } finally {
            jdbc.execute("RENAME TABLE elsewhere TO shipment");
        }
        jdbc.execute("UPDATE EVENT_PUBLICATION SET publication_date = publication_date - INTERVAL 1 DAY");
        CompletableFuture.allOf(Stream.of(one, two)
                        .map(node -> CompletableFuture.runAsync(
                                () -> node.getBean(Resubmission.class).run(), task -> new Thread(task).start()))
                        .toArray(CompletableFuture[]::new))
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(shipped(1)).isOne());
        awaitPublications("COMPLETED");
        // the first attempt and one more, though the second node may come after the first one has resubmitted
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(jdbc.queryForObject(
                                "SELECT COUNT(*) FROM rowlock_lock_log WHERE lock_key = 'order:1'", Integer.class))
                        .isEqualTo(2));
    }

    /** As if the listener's node had been paused: the event stays to be handled again. */
    @Test
    void lostLockRefusesTheListener() throws Exception {
        try (Connection blocker = schema.dataSource().getConnection();
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("INSERT INTO shipment VALUES (2)");
            place(2);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> two.getBean(LockClient.class).isLocked("order:2"));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> jdbc.queryForObject(
                                    "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
                                    Integer.class)
                            > 0);
            Application.expire(schema, "order:2");
            try (HeldLock next = two.getBean(LockClient.class).acquire(LockRequest.exclusive("order:2"))) {
                blocker.rollback();
                awaitPublications("FAILED");
                assertThat(shipped(2)).isZero();
                assertThat(next.isHeld()).isTrue();
            }
        }
    }

    private static void place(long order) {
        new TransactionTemplate(one.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> one.publishEvent(new OrderPlaced(order)));
    }

    private static void awaitPublications(String status) {
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(jdbc.queryForList("SELECT status FROM EVENT_PUBLICATION", String.class))
                        .containsExactly(status));
    }

    private static Integer shipped(long order) {
        return jdbc.queryForObject("SELECT COUNT(*) FROM shipment WHERE order_id = ?", Integer.class, order);
    }
}
