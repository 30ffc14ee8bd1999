package io.rowlock.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Http;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The remedies of the runbook that are requests or properties, as they stand there. {@code RunbookTests} runs its SQL; the log's retention
 * and switch and {@code keep-idle} are in {@code LockLogWiringTests}.
 */
@OnServer
class RunbookRemediesTests {
    private static final String KEY = "item:42";
    private static String page;
    private static FreshSchema schema;
    private static OtherNode other;

    @BeforeAll
    static void start(DatabaseServer server) throws IOException {
        page = Files.readString(Path.of("..", "docs", "runbook.md"));
        schema = FreshSchema.on(server);
        other = OtherNode.on(schema);
    }

    @AfterAll
    static void stop() {
        if (schema != null) {
            other.close();
            schema.close();
        }
    }

    @Test
    void holderIsFoundAndFreedByRequests() throws Exception {
        try (ConfigurableApplicationContext node = web().start();
                HeldLock held = other.lock(LockRequest.exclusive(KEY).withTtl(Duration.ofSeconds(12)))) {
            Http http = new Http(node);
            assertThat(http.get(path("GET /actuator/(\\S+)")).<String>at("$.holders[0].owner"))
                    .startsWith("other@");

            Thread buyer = new Thread(
                    () -> node.getBean(LockClient.class)
                            .acquire(LockRequest.exclusive(KEY))
                            .close(),
                    "a buyer that waits");
            buyer.start();
            await().untilAsserted(() -> assertThat(http.get("rowlock/" + KEY).<Integer>at("$.localWaiters"))
                    .isOne());
            assertThat(http.get(path("/actuator/(threaddump)")).<List<String>>at("$.threads[*].threadName"))
                    .contains(buyer.getName());

            assertThat(http.delete(path("DELETE /actuator/(\\S+)").replace("…", "stuck"))
                            .status())
                    .isEqualTo(204);
            await().untilAsserted(() -> assertThat(held.isLost()).isTrue());
            buyer.join(60_000);
            assertThat(buyer.isAlive()).isFalse();
            assertThat(schema.jdbc()
                            .queryForList(
                                    "SELECT note FROM rowlock_lock_log WHERE lock_key = ? AND status = 'FORCED'",
                                    String.class,
                                    KEY))
                    .singleElement()
                    .asString()
                    .contains("stuck");
        }
    }

    @Test
    void largerPoolHelpsWhenAllItsConnectionsAreInUse() throws Exception {
        String property = named("`(rowlock\\.pool\\.size)`");
        TestApplication application = new TestApplication(schema)
                .with(property, 1)
                .with("rowlock.wait-time", "0s")
                .with("rowlock.pool.connection-timeout", "250ms");
        try (ConfigurableApplicationContext node = application.start();
                Connection used = pool(node).getConnection()) {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> lockAndRelease(node))
                    .withMessageContaining(named("\\| (all connections of the lock pool are in use)"));
            assertThat(used.isClosed()).isFalse();
        }
        try (ConfigurableApplicationContext node = application.with(property, 2).start();
                Connection used = pool(node).getConnection()) {
            lockAndRelease(node);
            assertThat(used.isClosed()).isFalse();
        }
    }

    @Test
    void tablesThatAreMissingAreCreated(DatabaseServer server) {
        String[] remedy = named("`(rowlock\\.schema\\.initialize=always)`").split("=", -1);
        try (FreshSchema empty = FreshSchema.on(server)) {
            try (ConfigurableApplicationContext node =
                    new TestApplication(empty).with(remedy[0], "never").start()) {
                assertThatExceptionOfType(LockStoreException.class)
                        .isThrownBy(() -> lockAndRelease(node))
                        .withMessageContaining(named("\\| (the lock tables are missing or too old)"));
            }
            try (ConfigurableApplicationContext node =
                    new TestApplication(empty).with(remedy[0], remedy[1]).start()) {
                lockAndRelease(node);
            }
        }
    }

    private static TestApplication web() {
        String[] access =
                named("`(management\\.endpoint\\.rowlock\\.access=\\w+)`").split("=", -1);
        return new TestApplication(schema)
                .withWeb()
                .with(access[0], access[1])
                .with("management.endpoints.web.exposure.include", "rowlock,threaddump");
    }

    private static DataSource pool(ConfigurableApplicationContext node) {
        return node.getBean(LockPools.class).locks();
    }

    private static void lockAndRelease(ConfigurableApplicationContext node) {
        node.getBean(LockClient.class).acquire(LockRequest.exclusive("item:7")).close();
    }

    private static String path(String request) {
        return named("`" + request + "`");
    }

    private static String named(String pattern) {
        return Pattern.compile(pattern)
                .matcher(page)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the runbook has no " + pattern));
    }
}
