package io.rowlock.autoconfigure.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.Ledger;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Two processes with locks in Redis and data in a database, while Redis forgets, or has forgotten, what it had granted. */
@OnRedis
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer
class RedisFenceTests {
    private static final AtomicInteger IDS = new AtomicInteger();

    private FreshSchema schema;
    private RedisServer redis;
    private RedisClient administrator;
    private StatefulRedisConnection<String, String> commands;
    private Node node;
    private Node jpa;
    private Node rival;
    private int id;
    private String key;

    @BeforeServer
    void start(DatabaseServer server) throws IOException {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, token BIGINT NOT NULL)");
        schema.jdbc().execute("CREATE TABLE entry (id INT PRIMARY KEY)");
        redis = RedisServer.start();
        administrator = RedisClient.create(redis.uri());
        commands = administrator.connect();
        node = new Node(application(Ledger.JdbcLedger.class).start());
        rival = new Node(application().start());
        jpa = new Node(application(Ledger.JpaLedger.class).withJpa().start());
    }

    private TestApplication application(Class<?>... sources) {
        return new TestApplication(schema, sources).withRedis(redis);
    }

    @AfterServer
    void stop() {
        List.of(node, rival, jpa).forEach(each -> each.context.close());
        commands.close();
        administrator.shutdown();
        redis.stop();
        schema.close();
    }

    @BeforeEach
    void openAccount() {
        id = IDS.incrementAndGet();
        key = "account:" + id;
        schema.jdbc().update("INSERT INTO account VALUES (?, 100, 0)", id);
    }

    /** A process. */
    private final class Node {
        final ConfigurableApplicationContext context;
        final LockClient locks;
        final JdbcTemplate sql;
        final TransactionTemplate transaction;

        Node(ConfigurableApplicationContext context) {
            this.context = context;
            locks = context.getBean(LockClient.class);
            sql = context.getBean(JdbcTemplate.class);
            transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        }

        HeldLock take() {
            return locks.acquire(LockRequest.exclusive(key));
        }

        int balance() {
            return sql.queryForObject("SELECT balance FROM account WHERE id = ?", Integer.class, id);
        }

        int add(int amount) {
            return sql.update("UPDATE account SET balance = ? WHERE id = ?", balance() + amount, id);
        }

        double refusedCommits() {
            return context.getBean(MeterRegistry.class).find("rowlock.fence.rejected").counters().stream()
                    .mapToDouble(Counter::count)
                    .sum();
        }

        void addInTransaction(int amount) {
            transaction.executeWithoutResult(status -> add(amount));
        }

        void addUnderALockOfItsOwn(int amount) {
            try (HeldLock lock = take()) {
                assertThat(lock.isHeld()).isTrue();
                addInTransaction(amount);
            }
        }
    }

    private void forgetAllLocks() {
        assertThat(commands.sync().flushall()).isEqualTo("OK");
    }

    private static CompletableFuture<Integer> async(Callable<Integer> call) {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private Long noted() {
        return schema.jdbc()
                .queryForObject("SELECT MAX(token) FROM rowlock_fence WHERE lock_key = ?", Long.class, (Object)
                        key.getBytes(UTF_8));
    }

    private static void assertNothingBound() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
    }

    // ---- two holders

    @ParameterizedTest
    @ValueSource(strings = {"JDBC", "JPA"})
    void holderOfALockThatRedisForgotIsRefusedOnceItsSuccessorWasThere(String kind) {
        Node former = kind.equals("JPA") ? jpa : node;
        HeldLock lock = former.take();
        forgetAllLocks();
        rival.addUnderALockOfItsOwn(20);
        assertThat(lock.isHeld()).as("it does not know").isTrue();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> former.addInTransaction(10))
                .withMessageContaining(key);
        assertThat(rival.balance()).isEqualTo(120);
        assertThat(lock.isHeld()).isFalse();
        assertNothingBound();
        lock.close();
        former.addUnderALockOfItsOwn(5);
        assertThat(rival.balance()).isEqualTo(125);
    }

    @Test
    void successorOfALockThatRedisForgotWaitsForTheOpenTransaction() {
        HeldLock lock = node.take();
        List<CompletableFuture<Integer>> successor = new ArrayList<>();
        node.transaction.executeWithoutResult(status -> {
            int read = node.balance();
            forgetAllLocks();
            successor.add(async(() -> {
                rival.addUnderALockOfItsOwn(20);
                return 1;
            }));
            assertThatExceptionOfType(TimeoutException.class)
                    .isThrownBy(() -> successor.get(0).get(500, TimeUnit.MILLISECONDS));
            node.sql.update("UPDATE account SET balance = ? WHERE id = ?", read + 10, id);
        });
        assertThat(successor.get(0)).succeedsWithin(ofSeconds(15));
        assertThat(rival.balance()).isEqualTo(130);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> node.addInTransaction(10));
        assertThat(rival.balance()).isEqualTo(130);
        lock.close();
    }

    @Test
    void holderWhoseLeaseExpiredIsRefused() {
        HeldLock lock = node.locks.acquire(
                LockRequest.exclusive(key).withTtl(ofMillis(200)).withRenewal(false));
        rival.addUnderALockOfItsOwn(20);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> node.addInTransaction(10));
        assertThat(rival.balance()).isEqualTo(120);
        lock.close();
    }

    @Test
    void commitIsRefusedAndCountedIfTheLockIsLostWhileTheTransactionIsSuspended() {
        HeldLock lock = node.take();
        TransactionTemplate outside = new TransactionTemplate(node.transaction.getTransactionManager());
        outside.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        double before = node.refusedCommits();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> node.transaction.executeWithoutResult(status -> {
                    node.add(10);
                    outside.executeWithoutResult(none -> {
                        forgetAllLocks();
                        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock.extend(ofSeconds(60)));
                    });
                }));
        assertThat(node.refusedCommits()).isEqualTo(before + 1);
        assertThat(node.balance()).isEqualTo(100);
        lock.close();
    }

    @Test
    void annotatedMethodNotesTheTokenOfItsLockWhenItsTransactionBegins() {
        key = Ledger.KEY + id;
        node.context.getBean(Ledger.class).store(String.valueOf(id), id, () -> {
            assertThat(noted()).isNull(); // another session sees it after the commit
            assertThat(node.sql.queryForObject(
                            "SELECT COUNT(*) FROM rowlock_fence WHERE lock_key = ?", Integer.class, (Object)
                                    key.getBytes(UTF_8)))
                    .isOne();
        });
        assertThat(noted()).isPositive();
    }

    // ---- a server whose clock is behind

    @Test
    void tokensCatchUpWithWhatTheDatabaseHasSeen() {
        node.addUnderALockOfItsOwn(1);
        long ahead = noted() + TimeUnit.HOURS.toMicros(1);
        schema.jdbc().update("UPDATE rowlock_fence SET token = ?", ahead);
        forgetAllLocks();
        HeldLock lock = node.take();
        assertThat(lock.fencingToken()).isLessThan(ahead);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> node.addInTransaction(10));
        try (HeldLock next = rival.take()) {
            assertThat(next.fencingToken()).isGreaterThan(ahead);
            rival.addInTransaction(10);
        }
        lock.close();
        node.addUnderALockOfItsOwn(10);
        assertThat(node.balance()).isEqualTo(121);
    }

    // ---- the log

    @Test
    void logInTheDatabaseShowsGrantsOfRedis() {
        node.addUnderALockOfItsOwn(1);
        HeldLock lost = node.take();
        forgetAllLocks();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.extend(ofSeconds(30)));
        lost.close();
        await().atMost(ofSeconds(15))
                .untilAsserted(() -> assertThat(schema.jdbc()
                                .queryForList(
                                        "SELECT CONCAT(strategy, ' ', status, ' ', fence = ?) FROM rowlock_lock_log WHERE lock_key = ? ORDER BY id",
                                        String.class,
                                        lost.fencingToken(),
                                        key))
                        .containsExactly("redis RELEASED 0", "redis LOST 1"));
    }

    // ---- settings

    @Test
    void tokensCanBeNotedRightBeforeTheCommit() {
        try (var context = application().with("rowlock.redis.fence", "commit").start()) {
            Node late = new Node(context);
            HeldLock lock = late.take();
            late.transaction.executeWithoutResult(status -> {
                schema.jdbc().update("DELETE FROM rowlock_fence");
                late.add(1);
            });
            assertThat(noted()).isEqualTo(lock.fencingToken());
            forgetAllLocks();
            rival.addUnderALockOfItsOwn(20);
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> late.addInTransaction(10));
            assertThat(rival.balance()).isEqualTo(121);
        }
    }

    @Test
    void withoutAFenceAnOvertakenHolderStores(CapturedOutput output) {
        try (var context = application()
                .with("rowlock.redis.fence", "none")
                .with("logging.level.io.rowlock", "info")
                .start()) {
            Node unfenced = new Node(context);
            try (HeldLock lock = unfenced.take()) {
                forgetAllLocks();
                rival.addUnderALockOfItsOwn(20);
                unfenced.addInTransaction(10);
                assertThat(rival.balance()).isEqualTo(130);
                assertThat(lock.isHeld()).isTrue();
            }
        }
        assertThat(output)
                .contains(
                        "is not protected", "read before it acquired the lock", "because rowlock.redis.fence is none");
    }

    @Test
    void fencedApplicationSaysNothingOfWhatIsNotProtected(CapturedOutput output) {
        application().with("logging.level.io.rowlock", "info").start().close();
        assertThat(output)
                .contains("Rowlock can keep locks by strategy redis in")
                .doesNotContain("is not protected");
    }

    @ParameterizedTest
    @ValueSource(strings = {"begin", "commit"})
    void missingTableRefusesTheTransaction(String fence) {
        schema.jdbc().execute("RENAME TABLE rowlock_fence TO hidden_fence");
        try (var context = application()
                .with("rowlock.schema.initialize", "never")
                .with("rowlock.redis.fence", fence)
                .start()) {
            assertRefused(new Node(context), "let rowlock.schema.initialize=always create them");
        } finally {
            schema.jdbc().execute("RENAME TABLE hidden_fence TO rowlock_fence");
        }
    }

    private static void assertRefused(Node unfenced, String remedy) {
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> unfenced.addUnderALockOfItsOwn(1))
                .withMessageContainingAll(remedy, "rowlock_fence");
        assertThat(unfenced.balance()).isEqualTo(100);
    }

    // ---- data that guards itself

    /** The statement of docs/transactions.md, as it stands there. */
    @Test
    void dataThatRemembersTheTokenRefusesAFormerHolder() throws IOException {
        Matcher example = Pattern.compile("\"(UPDATE account[^\"]+)\"")
                .matcher(Files.readString(Path.of("..", "docs", "transactions.md")));
        assertThat(example.find()).isTrue();
        String statement = example.group(1);
        HeldLock former = node.take();
        assertThat(node.sql.update(statement, 110, former.fencingToken(), id, former.fencingToken()))
                .isOne();
        forgetAllLocks();
        try (HeldLock later = rival.take()) {
            long token = later.fencingToken();
            assertThat(rival.sql.update(statement, 120, token, id, token)).isOne();
            assertThat(rival.sql.update(statement, 130, token, id, token))
                    .as("again")
                    .isOne();
        }
        assertThat(former.isHeld()).isTrue();
        assertThat(node.sql.update(statement, 140, former.fencingToken(), id, former.fencingToken()))
                .isZero();
        assertThat(node.balance()).isEqualTo(130);
        former.close();
    }

    @Test
    void missingRightRefusesTheTransaction(DatabaseServer server) {
        assumeTrue(server.flavor() == ServerFlavor.MYSQL, "the embedded MariaDB does not check rights");
        String user = schema.userWithoutRights();
        for (String table : List.of("lock", "lock_log", "unique_key", "unique_key_stripe", "row", "schema_history")) {
            schema.grant("SELECT, INSERT, UPDATE, DELETE", schema.schema().name() + ".rowlock_" + table, user);
        }
        schema.grant("SELECT, UPDATE", schema.schema().name() + ".account", user);
        schema.grant("SELECT, INSERT", schema.schema().name() + ".rowlock_fence", user);
        try (var context = application()
                .withUser(user)
                .with("rowlock.schema.initialize", "validate")
                .start()) {
            Node unfenced = new Node(context);
            assertRefused(unfenced, "it needs SELECT, INSERT, UPDATE and DELETE on the lock tables");
            schema.grant("UPDATE", schema.schema().name() + ".rowlock_fence", user);
            unfenced.addUnderALockOfItsOwn(1);
            assertThat(unfenced.balance()).isEqualTo(101);
        }
    }
}
