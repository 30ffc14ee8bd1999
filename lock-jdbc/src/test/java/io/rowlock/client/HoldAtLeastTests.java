package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.rowlock.RowLockStore;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Locks that are kept for some time though their work is done, of all strategies. */
@OnEachServer
class HoldAtLeastTests {
    private static final int CONNECTIONS = 20;
    private static final int THREADS = 8;
    private static final int TURNS = 10;

    private final String key = UUID.randomUUID().toString();
    private final AtomicInteger opened = new AtomicInteger();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private TestSchema schema;
    private RowlockClient client;
    private RowlockClient rival;
    private RowLockStore rowLocks;
    private volatile boolean stopped;

    @BeforeEach
    void start(TestSchema given) {
        schema = given;
        rival = newClient("rival");
        client = newClient("node");
        opened.set(0);
    }

    @AfterEach
    void stop() throws Exception {
        stopped = true;
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    private RowlockClient newClient(String owner) {
        LockDatabase database = new LockDatabase(closing(Pools.locks(schema)), 8, Node.QUERY_TIMEOUT);
        rowLocks = new RowLockStore(database, closing(sessions()), CONNECTIONS, Node.PREFIX, true);
        return closing(RowlockClient.builder(
                        new LeaseStore(database, Node.PREFIX, null, null),
                        new UniqueKeyStore(database, Node.PREFIX, null),
                        rowLocks)
                .waitTime(Duration.ZERO)
                .owner(owner)
                .build());
    }

    private HikariDataSource sessions() {
        MysqlDataSource server = new MysqlDataSource();
        server.setUrl(schema.jdbcUrl());
        server.setUser(schema.username());
        server.setPassword(schema.password());
        HikariConfig config = new HikariConfig();
        config.setDataSource(counting(server));
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(10_000);
        config.setAutoCommit(false);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        return new HikariDataSource(config);
    }

    private DataSource counting(DataSource server) {
        return new DelegatingDataSource(server) {
            @Override
            public Connection getConnection() throws SQLException {
                opened.incrementAndGet();
                return super.getConnection();
            }
        };
    }

    private LockRequest request(String strategy) {
        return LockRequest.exclusive(key).withStrategy(strategy);
    }

    /** As schedulers on many nodes do it. A lock that is kept for a second and not for 5 ms lets them through too slowly. */
    @ParameterizedTest
    @ValueSource(strings = {LeaseStore.NAME, UniqueKeyStore.NAME, RowLockStore.NAME})
    void threadsThatTryWithoutWaitingAllGetTheirTurns(String strategy) throws Exception {
        LockRequest request = request(strategy).withTtl(ofMinutes(5)).withHoldAtLeast(ofMillis(5));
        int[] counter = {0};
        List<Other<Integer>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Other.does(() -> takeTurns(request, counter)));
        }
        await().atMost(ofSeconds(60)).until(() -> threads.stream().allMatch(Other::isDone));
        for (Other<Integer> thread : threads) {
            assertThat(thread.get()).isEqualTo(TURNS);
        }
        assertThat(counter[0]).isEqualTo(THREADS * TURNS);
        assertThat(opened).as("connections in all").hasValueLessThanOrEqualTo(CONNECTIONS);
    }

    private int takeTurns(LockRequest request, int[] counter) {
        int turns = 0;
        while (turns < TURNS && !stopped) {
            Optional<HeldLock> lock = tryOnce(request);
            if (lock.isPresent()) {
                int read = counter[0];
                LockSupport.parkNanos(100_000);
                counter[0] = read + 1;
                turns++;
                lock.get().close();
            }
        }
        return turns;
    }

    /** On a busy machine, an attempt without a wait fails now and then, because the database is slow to answer another thread. */
    private Optional<HeldLock> tryOnce(LockRequest request) {
        try {
            return client.tryAcquire(request);
        } catch (LockStoreException e) {
            return Optional.empty();
        }
    }

    /** The ttl is over first: the server must not end the session before its time. */
    @Test
    void rowLockIsKeptForLongerThanItsTtl() {
        Duration time = ofMillis(3_500);
        long start = System.nanoTime();
        client.acquire(request(RowLockStore.NAME).withTtl(ofSeconds(1)).withHoldAtLeast(time))
                .close();
        await().pollInterval(ofMillis(20)).atMost(ofSeconds(30)).until(() -> isFree(RowLockStore.NAME));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(time);
    }

    private boolean isFree(String strategy) {
        Optional<HeldLock> lock = rival.tryAcquire(request(strategy));
        lock.ifPresent(HeldLock::close);
        return lock.isPresent();
    }

    @Test
    void keptRowLockIsShownAsUnused() {
        client.acquire(request(RowLockStore.NAME).withHoldAtLeast(ofMinutes(1))).close();
        assertThat(rowLocks.inspection().orElseThrow().holders(key))
                .singleElement()
                .satisfies(lock -> {
                    assertThat(lock.since()).isNull();
                    assertThat(lock.remaining()).isBetween(ofSeconds(30), ofMinutes(1));
                });
    }

    @Test
    void keptRowLockEndsWithItsProcess() {
        client.acquire(request(RowLockStore.NAME).withHoldAtLeast(ofMinutes(1))).close();
        assertThat(isFree(RowLockStore.NAME)).isFalse();
        rowLocks.close();
        await().atMost(ofSeconds(10)).until(() -> isFree(RowLockStore.NAME));
    }
}
