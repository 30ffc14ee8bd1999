package io.rowlock.recipes.mybatis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Transfers in both directions at once, on two nodes; and what a mapper remembers. */
@OnServer(ServerFlavor.MYSQL)
class MyBatisRecipeTests {
    private static TestSchema schema;
    private static JdbcTemplate jdbc;

    @BeforeAll
    static void createTable(DatabaseServer server) {
        schema = server.createSchema();
        jdbc = new JdbcTemplate(schema.dataSource());
        jdbc.execute("CREATE TABLE account (id BIGINT PRIMARY KEY, balance INT NOT NULL)");
    }

    @AfterAll
    static void dropSchema() {
        if (schema != null) {
            schema.close();
        }
    }

    @BeforeEach
    void accounts() {
        jdbc.execute("DELETE FROM account");
        jdbc.execute("INSERT INTO account VALUES (1, 1000), (2, 1000)");
    }

    @Test
    void noTransferIsLost() {
        try (ConfigurableApplicationContext one = node("session");
                ConfigurableApplicationContext two = node("session")) {
            List<Transfers> nodes = List.of(one.getBean(Transfers.class), two.getBean(Transfers.class));
            CompletableFuture.allOf(IntStream.range(0, 40)
                            .mapToObj(i -> CompletableFuture.runAsync(
                                    () -> nodes.get(i % 2).transfer(1 + i % 3 % 2, 2 - i % 3 % 2, 1),
                                    task -> new Thread(task).start()))
                            .toArray(CompletableFuture[]::new))
                    .orTimeout(2, TimeUnit.MINUTES)
                    .join();
            // 13 of 40 go the other way
            assertThat(balance(1)).isEqualTo(1000 - 27 + 13);
            assertThat(balance(2)).isEqualTo(1000 + 27 - 13);
        }
    }

    @Test
    void lostLockRefusesTheCommit() {
        try (ConfigurableApplicationContext one = node("session");
                ConfigurableApplicationContext two = node("session");
                HeldLock paused =
                        one.getBean(LockClient.class).acquire(LockRequest.exclusive("account:1", "account:2"))) {
            Application.expire(schema, "account:1");
            try (HeldLock next = two.getBean(LockClient.class).acquire(LockRequest.exclusive("account:1"))) {
                assertThatExceptionOfType(LockLostException.class)
                        .isThrownBy(() -> one.getBean(Transfers.class).transfer(1, 2, 5));
                assertThat(next.isHeld()).isTrue();
            }
            assertThat(paused.isHeld()).isFalse();
            assertThat(balance(1)).isEqualTo(1000);
        }
    }

    /** No check of Rowlock sees it: the second select asks no database. */
    @ParameterizedTest
    @CsvSource({"session, 1000", "statement, 900"})
    void mapperRemembersWhatATransactionReadBeforeTheLock(String scope, int seen) {
        try (ConfigurableApplicationContext node = node(scope)) {
            Accounts accounts = node.getBean(Accounts.class);
            TransactionTemplate transaction = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
            transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
            transaction.executeWithoutResult(status -> {
                assertThat(accounts.selectById(1L).balance).isEqualTo(1000);
                jdbc.update("UPDATE account SET balance = 900 WHERE id = 1");
                try (HeldLock lock = node.getBean(LockClient.class).acquire(LockRequest.exclusive("account:1"))) {
                    assertThat(accounts.selectById(1L).balance).isEqualTo(seen);
                    assertThat(lock.isHeld()).isTrue();
                }
            });
        }
    }

    private static Integer balance(long id) {
        return jdbc.queryForObject("SELECT balance FROM account WHERE id = ?", Integer.class, id);
    }

    private static ConfigurableApplicationContext node(String scope) {
        return new Application(schema, Transfers.class)
                .using("com.baomidou.mybatisplus.")
                .with("mybatis-plus.configuration.local-cache-scope", scope)
                .with("mybatis-plus.global-config.banner", "false")
                .with("rowlock.locks.account.wait-time", "1m") // however slow the machine is
                .start();
    }
}
