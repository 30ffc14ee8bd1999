package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.DatabaseServer;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** What a transaction keeps until it has completed, wherever its locks are closed. */
@OnServer(ServerFlavor.MYSQL)
@OnRedis
class KeptLockTests {
    private static final AtomicInteger IDS = new AtomicInteger();
    private static FreshSchema schema;
    private static ConfigurableApplicationContext node;

    private final String key = "kept:" + IDS.incrementAndGet();
    private final LockClient locks = node.getBean(LockClient.class);

    @BeforeAll
    static void start(DatabaseServer server, RedisServer redis) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE journal (id INT AUTO_INCREMENT PRIMARY KEY, strategy VARCHAR(20))");
        node = new TestApplication(schema, Jobs.class)
                .withRedis(redis)
                .with("rowlock.strategy", "lease")
                .start();
    }

    @AfterAll
    static void stop() {
        if (node != null) {
            node.close();
        }
        schema.close();
    }

    static class Jobs {
        private final JdbcTemplate jdbc;

        Jobs(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock(name = "lease-job", key = "#id", strategy = "lease")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void lease(int id) {
            insert("lease");
        }

        @DistributedLock(name = "unique-key-job", key = "#id", strategy = "unique-key")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void uniqueKey(int id) {
            insert("unique-key");
        }

        @DistributedLock(name = "row-lock-job", key = "#id", strategy = "row-lock")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void rowLock(int id) {
            insert("row-lock");
        }

        @DistributedLock(name = "redis-job", key = "#id", strategy = "redis")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void redis(int id) {
            insert("redis");
        }

        /** Completes when the caller says so, under a lock of its own. */
        @DistributedLock(name = "later-job")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public CompletableFuture<String> later(CompletableFuture<String> work) {
            return work;
        }

        private void insert(String strategy) {
            jdbc.update("INSERT INTO journal (strategy) VALUES (?)", strategy);
        }
    }

    /** A transaction around a loop neither keeps the locks of the loop's methods, more than there are connections, nor relies on them. */
    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void methodWithATransactionOfItsOwnReleasesItsLockAfterIt(String strategy) {
        Jobs jobs = node.getBean(Jobs.class);
        BiConsumer<Jobs, Integer> job = switch (strategy) {
            case "lease" -> Jobs::lease;
            case "unique-key" -> Jobs::uniqueKey;
            case "redis" -> Jobs::redis;
            default -> Jobs::rowLock;
        };
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            schemaIsRead();
            for (int id = 0; id < 30; id++) {
                job.accept(jobs, id);
                assertThat(isFreeForOthers(strategy, strategy + "-job:" + id)).isTrue();
            }
        });
        assertThat(schema.jdbc()
                        .queryForObject("SELECT COUNT(*) FROM journal WHERE strategy = ?", Integer.class, strategy))
                .isEqualTo(30);
    }

    @Test
    void methodWithATransactionOfItsOwnThatEndsLaterLeavesTheOuterTransactionAlone() {
        Jobs jobs = node.getBean(Jobs.class);
        CompletableFuture<String> work = new CompletableFuture<>();
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            schemaIsRead();
            CompletableFuture<String> result = jobs.later(work);
            CompletableFuture<Boolean> end = CompletableFuture.supplyAsync(() -> work.complete("done"));
            assertThat(result).succeedsWithin(1, TimeUnit.MINUTES);
            assertThat(end).succeedsWithin(1, TimeUnit.MINUTES).isEqualTo(true);
        });
        assertThat(jobs.later(CompletableFuture.completedFuture("again"))).isCompleted();
    }

    private void schemaIsRead() {
        node.getBean(JdbcTemplate.class).queryForList("SELECT * FROM journal LIMIT 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void lockThatIsClosedInAnInnerTransactionIsKeptByTheOuterOne(String strategy) {
        keptThough(
                strategy,
                lock -> transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(inner -> lock.close()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void lockThatIsClosedWithoutATransactionIsKeptByTheSuspendedOne(String strategy) {
        keptThough(
                strategy,
                lock -> transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                        .executeWithoutResult(none -> lock.close()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void lockThatAnotherThreadClosesIsKept(String strategy) {
        keptThough(
                strategy,
                lock -> CompletableFuture.runAsync(lock::close)
                        .orTimeout(1, TimeUnit.MINUTES)
                        .join());
    }

    /** The lock is older than the transaction, which relies on it from its begin. */
    private void keptThough(String strategy, Consumer<HeldLock> closing) {
        HeldLock lock = locks.acquire(LockRequest.exclusive(key).withStrategy(strategy));
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            schema.jdbc().queryForList("SELECT 1");
            closing.accept(lock);
            assertThat(isFreeForOthers(strategy, key)).isFalse();
        });
        assertThat(isFreeForOthers(strategy, key)).isTrue();
    }

    private boolean isFreeForOthers(String strategy, String of) {
        return CompletableFuture.supplyAsync(
                        () -> locks.tryAcquire(LockRequest.exclusive(of).withStrategy(strategy))
                                .map(lock -> {
                                    lock.close();
                                    return true;
                                })
                                .orElse(false))
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
    }

    private static TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }
}
