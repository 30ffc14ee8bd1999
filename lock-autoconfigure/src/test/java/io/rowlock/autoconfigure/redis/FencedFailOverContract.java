package io.rowlock.autoconfigure.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.servers.DeadAddress;
import io.rowlock.servers.ReplicationLink;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A master of Redis dies with leases that it has not replicated, and the database keeps what their holders do apart. */
@OnRedis
@OnServer(ServerFlavor.MYSQL)
abstract class FencedFailOverContract {
    private FreshSchema schema;
    private RedisServer master;
    private @Nullable DeadAddress dead;
    private Node node;
    private Node rival;

    /** Starts the servers. @return the master that is going to die */
    abstract RedisServer start() throws Exception;

    /** Where an application finds the servers. */
    abstract TestApplication on(TestApplication application);

    /** Stops all servers. */
    abstract void stop() throws Exception;

    /** A key that is on that master. */
    abstract String key(String name);

    @BeforeEach
    void open(DatabaseServer server) throws Exception {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
        schema.jdbc().execute("INSERT INTO account VALUES (1, 100)");
        master = start();
        node = new Node();
        rival = new Node();
    }

    @AfterEach
    void close() throws Exception {
        node.context.close();
        rival.context.close();
        stop();
        if (dead != null) {
            dead.close();
        }
        schema.close();
    }

    /** A process. */
    private final class Node {
        final ConfigurableApplicationContext context =
                on(new TestApplication(schema).withRedis(master)).start();
        final LockClient locks = context.getBean(LockClient.class);
        final JdbcTemplate sql = context.getBean(JdbcTemplate.class);
        final TransactionTemplate transaction =
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

        /** Asks again while the servers agree on a new master. */
        HeldLock take(String name) {
            LockRequest request =
                    LockRequest.exclusive(key(name)).withTtl(ofSeconds(60)).withRenewal(false);
            long end = System.nanoTime() + ofSeconds(30).toNanos();
            while (true) {
                try {
                    return locks.acquire(request);
                } catch (LockStoreException e) {
                    assertThat(System.nanoTime()).isLessThan(end);
                }
            }
        }

        int balance() {
            return sql.queryForObject("SELECT balance FROM account", Integer.class);
        }

        void add(int amount, Runnable between) {
            transaction.executeWithoutResult(status -> {
                int read = balance();
                between.run();
                sql.update("UPDATE account SET balance = ?", read + amount);
            });
        }
    }

    private static CompletableFuture<Void> async(Runnable work) {
        return CompletableFuture.runAsync(work, task -> new Thread(task).start());
    }

    @Test
    void transactionsLoseNothingThoughTheLeaseIsLost() throws Exception {
        node.take("key").close();
        ReplicationLink.awaitInSync(master);
        ReplicationLink.cut(master);
        HeldLock lost = node.take("key");
        CountDownLatch taken = new CountDownLatch(1);
        List<CompletableFuture<Void>> successor = new ArrayList<>();
        node.add(10, () -> {
            dead = DeadAddress.of(master);
            successor.add(async(() -> {
                try (HeldLock lock = rival.take("key")) {
                    assertThat(lock.fencingToken()).isGreaterThan(lost.fencingToken());
                    taken.countDown();
                    rival.add(20, () -> {});
                }
            }));
            await().atMost(ofSeconds(30)).until(() -> taken.getCount() == 0);
            await().during(ofMillis(300)).until(() -> !successor.get(0).isDone());
        });
        assertThat(successor.get(0))
                .as("the successor's transaction, which has waited for the open one")
                .succeedsWithin(ofSeconds(30));
        assertThat(rival.balance()).as("with both changes").isEqualTo(130);

        assertThat(lost.isHeld()).as("the former holder knows nothing").isTrue();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> node.add(10, () -> {}))
                .withMessageContaining(key("key"));
        assertThat(rival.balance()).as("without what was refused").isEqualTo(130);
        lost.close();
    }
}
