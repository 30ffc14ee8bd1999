package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.Maintenance;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The rights of docs/operations.md are enough. MySQL only: they are not checked by the embedded MariaDB. */
@OnServer(ServerFlavor.MYSQL)
class DatabaseRightsTests {
    private static final List<String> TABLES =
            List.of("lock", "lock_log", "unique_key", "unique_key_stripe", "row", "fence", "schema_history");

    private static FreshSchema schema;
    private static String user;
    private static ConfigurableApplicationContext node;
    private static LockClient locks;
    private static LockAdmin oversight;
    private static OtherNode administrator;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        administrator = OtherNode.on(schema);
        user = schema.userWithoutRights();
        for (String table : TABLES) {
            schema.grant("SELECT, INSERT, UPDATE, DELETE", schema.schema().name() + ".rowlock_" + table, user);
        }
        node = start("validate");
        locks = node.getBean(LockClient.class);
        oversight = node.getBean(RowlockClient.class).admin();
    }

    private static ConfigurableApplicationContext start(String initialize) {
        return start(initialize, user);
    }

    private static ConfigurableApplicationContext start(String initialize, String user) {
        return new TestApplication(schema)
                .withUser(user)
                .with("rowlock.schema.initialize", initialize)
                .start();
    }

    @AfterAll
    static void stop() {
        if (schema != null) {
            node.close();
            administrator.close();
            schema.close();
        }
    }

    @Test
    void everyStrategyTakesAndGuards() {
        for (String strategy : List.of("lease", "unique-key", "row-lock")) {
            LockRequest request = LockRequest.exclusive("a").withStrategy(strategy);
            try (HeldLock lock = locks.acquire(request)) {
                assertThat(lock.isHeld()).isTrue();
                new TransactionTemplate(node.getBean(PlatformTransactionManager.class))
                        .executeWithoutResult(status -> {});
            }
        }
        locks.acquire(LockRequest.shared("a")).close();
    }

    @Test
    void waitingInLineNeedsNoRight() throws Exception {
        HeldLock lock = administrator.lock("line");
        CompletableFuture<HeldLock> waiter =
                CompletableFuture.supplyAsync(() -> locks.acquire(LockRequest.exclusive("line")));
        org.awaitility.Awaitility.await().until(() -> oversight.node().waiting() == 1);
        lock.close();
        waiter.get().close();
    }

    @Test
    void tablesAreCleanedAndTheLogIsRead() {
        locks.acquire(LockRequest.exclusive("log")).close();
        assertThat(node.getBean(Maintenance.class).cleanUp()).isNotNull();
        org.awaitility.Awaitility.await()
                .until(() -> !oversight.history("log", null, null, null, 1).isEmpty());
    }

    @Test
    void locksAreSeenAndReleasedByForce() {
        HeldLock lease = administrator.lock("far");
        assertThat(oversight.holders("far")).hasSize(1);
        assertThat(oversight.release("far", "test", "test")).hasSize(1);
        assertThat(oversight.history("far", null, null, null, 9))
                .anyMatch(row -> row.status().equals("FORCED"));
        lease.close();
    }

    @Test
    void rowLocksOfOthersTakeMoreRights() {
        LockRequest request = LockRequest.exclusive("row").withStrategy("row-lock");
        HeldLock lock = administrator.lock(request);
        assertThat(oversight.holders("row")).isEmpty();
        schema.grant("SELECT", "performance_schema.data_locks", user);
        schema.grant("SELECT", "performance_schema.threads", user);
        assertThat(oversight.holders("row")).hasSize(1);
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> oversight.release("row", "test", "test"))
                .withMessageContainingAll("lacks a right", "not owner of thread");
        assertThat(lock.isHeld()).isTrue();
        lock.close();
        try (ConfigurableApplicationContext colleague = start("always")) {
            HeldLock near = colleague.getBean(LockClient.class).acquire(request);
            assertThat(oversight.release("row", "test", "test")).hasSize(1);
            near.close();
        }
    }

    /** Their user also sees the row locks of others. */
    @Test
    void statementsOfThePageAreEnough() throws IOException {
        String page = Files.readString(Path.of("../docs/operations.md"));
        int begin = page.indexOf("CREATE USER 'shop'");
        for (String statement :
                page.substring(begin, page.indexOf("```", begin)).split(";", -1)) {
            if (!statement.isBlank()) {
                schema.jdbc()
                        .execute(statement
                                .replace("'shop'", "'" + user + "-page'")
                                .replace("shop.*", schema.schema().name() + ".*")
                                .replace("'secret'", "'" + FreshSchema.PASSWORD + "'"));
            }
        }
        LockRequest request = LockRequest.exclusive("page").withStrategy("row-lock");
        try (ConfigurableApplicationContext other = start("validate", user + "-page");
                HeldLock theirs = administrator.lock(request);
                HeldLock own = other.getBean(LockClient.class).acquire(LockRequest.exclusive("own"))) {
            assertThat(own.isHeld()).isTrue();
            assertThat(other.getBean(RowlockClient.class).admin().holders("page"))
                    .hasSize(1);
        }
    }
}
