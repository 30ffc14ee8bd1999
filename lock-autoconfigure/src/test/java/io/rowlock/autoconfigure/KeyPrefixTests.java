package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.LockLog.LogRow;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Two applications in one schema, whose prefixes begin alike. */
@OnServer
@OnRedis
class KeyPrefixTests {
    private static FreshSchema schema;
    private static ConfigurableApplicationContext shop;
    private static ConfigurableApplicationContext second;
    private static ConfigurableApplicationContext plain;

    @BeforeAll
    static void start(DatabaseServer server, RedisServer redis) {
        schema = FreshSchema.on(server);
        shop = application(redis, "shop");
        second = application(redis, "shop2");
        plain = application(redis, "");
    }

    @AfterAll
    static void close() {
        List.of(shop, second, plain).forEach(ConfigurableApplicationContext::close);
        schema.close();
    }

    private static ConfigurableApplicationContext application(RedisServer redis, String prefix) {
        return new TestApplication(schema)
                .withRedis(redis)
                .with("rowlock.key-prefix", prefix)
                .start();
    }

    private static RowlockClient client(ConfigurableApplicationContext application) {
        return application.getBean(RowlockClient.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void applicationsNeitherBlockNorForceOutEachOther(String strategy) {
        LockRequest request = LockRequest.exclusive("order:1").withStrategy(strategy);
        LockRequest alike = LockRequest.exclusive("2order:1").withStrategy(strategy);
        try (HeldLock lock = second.getBean(LockClient.class).acquire(request);
                HeldLock other =
                        shop.getBean(LockClient.class).tryAcquire(alike).orElseThrow()) {
            assertThat(keys(shop, strategy)).containsExactly("2order:1");
            assertThat(keys(second, strategy)).containsExactly("order:1");
            assertThat(keys(plain, strategy)).isEmpty();
            assertThat(client(shop).admin().release("2order:1", "operator", "test"))
                    .hasSize(1);
            lock.ensureHeld(Duration.ofSeconds(1));
            assertThat(other.isHeld()).isFalse();
        }
    }

    @Test
    void applicationsDoNotBlockEachOthersTransactions() {
        inTransaction(
                second,
                "order:1",
                () -> CompletableFuture.runAsync(() -> inTransaction(shop, "2order:1", () -> {}))
                        .join());
    }

    private static void inTransaction(ConfigurableApplicationContext application, String key, Runnable work) {
        LockRequest request =
                LockRequest.exclusive(key).withStrategy("transaction").withWaitTime(Duration.ZERO);
        TransactionTemplate transaction =
                new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        transaction.executeWithoutResult(status -> {
            assertThat(client(application).acquire(request).isHeld()).isTrue();
            work.run();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "row-lock", "redis"})
    void historyIsThatOfOneApplication(String strategy) {
        second.getBean(LockClient.class)
                .acquire(LockRequest.exclusive("bill:" + strategy).withStrategy(strategy))
                .close();
        Awaitility.await().untilAsserted(() -> assertThat(logged(second)).contains("bill:" + strategy));
        assertThat(logged(shop)).noneMatch(key -> key.contains("bill"));
        assertThat(logged(plain)).noneMatch(key -> key.contains("bill"));
    }

    private static List<String> keys(ConfigurableApplicationContext application, String strategy) {
        return client(application).admin().page("", null, 100).locks().stream()
                .filter(lock -> lock.strategy().equals(strategy))
                .map(LockAdmin.Held::key)
                .toList();
    }

    private static List<String> logged(ConfigurableApplicationContext application) {
        return client(application).admin().history(null, null, null, null, 100).stream()
                .map(LogRow::key)
                .toList();
    }
}
