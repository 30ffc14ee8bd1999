package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.client.RowlockClient;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Threads, virtual ones where the JDK has them, that are interrupted wherever they are: in a wait, a body, a commit or a release. */
@OnServer(ServerFlavor.MYSQL)
@OnRedis
@Tag("full")
class InterruptsAtAnyTimeTests {
    private static final int THREADS = 4;
    private static final int ROUNDS = 60;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static FreshSchema schema;
    private static ConfigurableApplicationContext node;

    private final ScheduledExecutorService interrupter = Executors.newSingleThreadScheduledExecutor();
    private final LockClient locks = node.getBean(LockClient.class);
    private final JdbcTemplate jdbc = node.getBean(JdbcTemplate.class);
    private final TransactionTemplate transaction =
            new TransactionTemplate(node.getBean(PlatformTransactionManager.class));
    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    /** As a lock of strategy transaction needs that is acquired in an open one. */
    @BeforeEach
    void readCommitted() {
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    @BeforeAll
    static void start(DatabaseServer server, RedisServer redis) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE counter (name VARCHAR(20) PRIMARY KEY, value INT NOT NULL)");
        schema.jdbc().execute("CREATE TABLE journal (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20))");
        node = new TestApplication(schema)
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

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock", "redis", "transaction"})
    void noUpdateIsLostAndNothingIsLeftBehind(String strategy) throws InterruptedException {
        schema.jdbc().update("INSERT INTO counter VALUES (?, 0)", strategy);
        List<Thread> threads = new ArrayList<>();
        ThreadFactory factory = virtualThreads();
        for (int i = 0; i < THREADS; i++) {
            threads.add(factory.newThread(() -> countUp(strategy)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive()).as("hangs").isFalse();
        }
        interrupter.shutdownNow();
        assertThat(completed.get() + failed.get()).as("calls that ended").isEqualTo(THREADS * ROUNDS);
        int counted = schema.jdbc().queryForObject("SELECT value FROM counter WHERE name = ?", Integer.class, strategy);
        assertThat(schema.jdbc().queryForObject("SELECT COUNT(*) FROM journal WHERE name = ?", Integer.class, strategy))
                .as("increments that have committed")
                .isEqualTo(counted);
        assertThat(completed.get()).isPositive().isLessThanOrEqualTo(counted);
        assertThat(failed).as("calls that were interrupted").hasPositiveValue();
        transactionally(strategy, () -> {});
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(node.getBean(RowlockClient.class).admin().node().held()).isZero();
            assertThat(node.getBean("dataSource", HikariDataSource.class)
                            .getHikariPoolMXBean()
                            .getActiveConnections())
                    .isZero();
            assertThat(node.getBean(LockPools.class)
                            .locks()
                            .getHikariPoolMXBean()
                            .getActiveConnections())
                    .isZero();
        });
    }

    private void countUp(String strategy) {
        Thread own = Thread.currentThread();
        for (int round = 0; round < ROUNDS; round++) {
            boolean disturbed = round % 2 == 0;
            if (disturbed) {
                long when = ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toMicros(12));
                var unused = interrupter.schedule(own::interrupt, when, TimeUnit.MICROSECONDS);
            }
            try {
                transactionally(strategy, () -> increment(strategy));
                completed.incrementAndGet();
            } catch (RuntimeException e) {
                failed.incrementAndGet();
                boolean unused = Thread.interrupted();
            }
        }
    }

    /** Under the lock, which strategy transaction takes inside of it and the others around it. */
    private void transactionally(String strategy, Runnable body) {
        LockRequest request = LockRequest.exclusive("interrupted:" + strategy)
                .withStrategy(strategy)
                .withWaitTime(PATIENCE);
        if (strategy.equals("transaction")) {
            transaction.executeWithoutResult(status -> locked(request, body));
        } else {
            locked(request, () -> transaction.executeWithoutResult(status -> body.run()));
        }
    }

    private void locked(LockRequest request, Runnable body) {
        try (HeldLock lock = locks.acquire(request)) {
            assertThat(lock.key()).isEqualTo(request.keys().get(0));
            body.run();
        }
    }

    private void increment(String strategy) {
        int value = jdbc.queryForObject("SELECT value FROM counter WHERE name = ?", Integer.class, strategy);
        jdbc.update("INSERT INTO journal (name) VALUES (?)", strategy);
        jdbc.update("UPDATE counter SET value = ? WHERE name = ?", value + 1, strategy);
    }

    private static ThreadFactory virtualThreads() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException e) {
            return Thread::new;
        }
    }
}
