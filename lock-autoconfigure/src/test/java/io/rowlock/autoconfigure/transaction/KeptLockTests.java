package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
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

    /** Of what runs while the transaction of the lock is suspended. */
    private static final int[] INNER = {
        TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED
    };

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

        @DistributedLock(name = "transaction-job", key = "#id", strategy = "transaction")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void transaction(int id) {
            insert("transaction");
        }

        @DistributedLock("apart-job")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void apart() {
            insert("apart");
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
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis", "transaction"})
    void methodWithATransactionOfItsOwnReleasesItsLockAfterIt(String strategy) {
        loop(strategy, 30, 1);
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis", "transaction"})
    void loopOverAThousandKeysExhaustsNothing(String strategy) {
        loop(strategy, 1_000, 100);
    }

    /** @param step asks after so many locks whether the last one is free */
    private void loop(String strategy, int keys, int step) {
        Jobs jobs = node.getBean(Jobs.class);
        BiConsumer<Jobs, Integer> job = switch (strategy) {
            case "lease" -> Jobs::lease;
            case "unique-key" -> Jobs::uniqueKey;
            case "redis" -> Jobs::redis;
            case "transaction" -> Jobs::transaction;
            default -> Jobs::rowLock;
        };
        int before = journal(strategy);
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            schemaIsRead();
            for (int id = 0; id < keys; id++) {
                job.accept(jobs, id);
                if (id % step == 0) {
                    assertThat(isFreeForOthers(exclusive(strategy + "-job:" + id, strategy)))
                            .isTrue();
                }
            }
        });
        assertThat(journal(strategy) - before).isEqualTo(keys);
    }

    private static int journal(String strategy) {
        return schema.jdbc().queryForObject("SELECT COUNT(*) FROM journal WHERE strategy = ?", Integer.class, strategy);
    }

    @Test
    void methodWithoutATransactionReleasesItsLockAfterItAndLeavesTheOuterOneAlone() {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            schemaIsRead();
            node.getBean(Jobs.class).apart();
            assertThat(isFreeForOthers(exclusive("apart-job", "lease"))).isTrue();
            node.getBean(JdbcTemplate.class).update("INSERT INTO journal (strategy) VALUES ('outer')");
        });
        assertThat(journal("apart")).isOne();
        assertThat(journal("outer")).isOne();
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

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis"})
    void viewThatIsUnlockedInAnInnerTransactionOrWithoutOneIsKept(String strategy) {
        for (int inner : INNER) {
            Lock view = locks.lock(exclusive(key, strategy));
            view.lock();
            keptThough(strategy, () -> transaction(inner).executeWithoutResult(status -> view.unlock()));
        }
    }

    /** The writer's handle is closed there, and its thread has a reader's, too. */
    @ParameterizedTest
    @ValueSource(strings = {"lease", "redis"})
    void writerThatBecomesAReaderInAnInnerTransactionOrWithoutOneKeepsReadersOut(String strategy) {
        LockRequest shared = LockRequest.shared(key).withStrategy(strategy);
        for (int inner : INNER) {
            HeldLock writer = locks.acquire(exclusive(key, strategy));
            HeldLock reader = locks.acquire(shared);
            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
                schema.jdbc().queryForList("SELECT 1");
                transaction(inner).executeWithoutResult(none -> writer.close());
                assertThat(isFreeForOthers(shared)).isFalse();
            });
            assertThat(isFreeForOthers(shared)).isTrue();
            assertThat(isFreeForOthers(exclusive(key, strategy))).isFalse();
            reader.close();
        }
    }

    /** The lock is older than the transaction, which relies on it from its begin. */
    private void keptThough(String strategy, Consumer<HeldLock> closing) {
        HeldLock lock = locks.acquire(exclusive(key, strategy));
        keptThough(strategy, () -> closing.accept(lock));
    }

    private void keptThough(String strategy, Runnable closing) {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            schema.jdbc().queryForList("SELECT 1");
            closing.run();
            assertThat(isFreeForOthers(exclusive(key, strategy))).isFalse();
        });
        assertThat(isFreeForOthers(exclusive(key, strategy))).isTrue();
    }

    private static LockRequest exclusive(String key, String strategy) {
        return LockRequest.exclusive(key).withStrategy(strategy);
    }

    private boolean isFreeForOthers(LockRequest request) {
        return CompletableFuture.supplyAsync(() -> readCommitted()
                        .execute(status -> locks.tryAcquire(request)
                                .map(lock -> {
                                    lock.close();
                                    return true;
                                })
                                .orElse(false)))
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
    }

    private static TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    /** A transaction in which a lock of strategy transaction may be acquired, too. */
    private static TransactionTemplate readCommitted() {
        TransactionTemplate template = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
        template.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        return template;
    }
}
