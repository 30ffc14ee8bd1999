package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.Node.Logging;
import io.rowlock.servers.Cable;
import io.rowlock.test.OnEachServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Many more threads of a node wait for locks than it has connections, and each of its statements takes long. */
@Order(12)
@OnEachServer
class ConnectionWaitTests extends ClientContract {
    private static final int CONNECTIONS = Node.TICKETS + 2;
    private static final int WAITERS = 200;
    private static final Duration STATEMENT = ofMillis(20);
    private static final Duration PATIENCE = ofSeconds(4);

    /** For a machine that is busy with something else, which makes no attempts after a deadline. */
    private static final Duration SLACK = ofSeconds(15);

    /** When each thread asked for a connection. */
    private final ThreadLocal<List<Long>> asked = ThreadLocal.withInitial(ArrayList::new);

    private Cable cable;

    @BeforeEach
    void startBehindACable() throws IOException {
        cable = new Cable(schema.jdbcUrl());
        HikariDataSource pool = Pools.starter(schema, cable.url());
        pool.setMaximumPoolSize(CONNECTIONS);
        node = closing(new Node(pool, new SlowConnections(pool), "far", Logging.OFF));
        closing(cable);
    }

    /** Connections that take their time. */
    private final class SlowConnections extends DelegatingDataSource {
        SlowConnections(HikariDataSource pool) {
            super(pool);
        }

        @Override
        public Connection getConnection() throws SQLException {
            asked.get().add(System.nanoTime());
            Connection connection = super.getConnection();
            try {
                TimeUnit.NANOSECONDS.sleep(STATEMENT.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return connection;
        }
    }

    /** The end of a wait, the time that it took, and how often its thread asked for a connection after its deadline. */
    private record End(Throwable failure, Duration after, long late) {}

    /** Each waits for another key, which the rival has. */
    private List<Other<End>> startWaiters(Duration patience) {
        List<String> keys =
                IntStream.range(0, WAITERS).mapToObj(i -> "busy-" + i).toList();
        keys.forEach(rival::take);
        return keys.stream()
                .map(key -> Other.does(() -> waitFor(key, patience)))
                .toList();
    }

    private End waitFor(String key, Duration patience) {
        long start = System.nanoTime();
        try (HeldLock unexpected =
                node.client.acquire(LockRequest.exclusive(key).withWaitTime(patience))) {
            throw new AssertionError("It got " + unexpected);
        } catch (RuntimeException e) {
            long end = System.nanoTime();
            Duration after = Duration.ofNanos(end - start);
            // On a busy machine the client's time begins long after this method's, and looks at the key belong to it
            Duration waited = e instanceof LockNotAcquiredException busy ? busy.waited() : after;
            long deadline = end - waited.toNanos() + patience.toNanos();
            return new End(
                    e,
                    after,
                    asked.get().stream().filter(time -> time - deadline > 0).count());
        }
    }

    @Test
    void everyWaiterWaitsUntilItsDeadlineAndFindsItsKeyBusy() throws Exception {
        for (Other<End> waiter : startWaiters(PATIENCE)) {
            End end = waiter.get();
            assertThat(end.failure()).isInstanceOf(LockNotAcquiredException.class);
            assertThat(end.after()).isBetween(PATIENCE, PATIENCE.plus(SLACK));
            // A look that was on its way, and the last attempt
            assertThat(end.late()).as("after its deadline").isLessThanOrEqualTo(2);
        }
        assertThat(node.use().queues()).isZero();
    }

    /**
     * The lease lasts for so long that a busy machine does not lose it; the waiters wait until they are interrupted. A free key may take
     * minutes there: who has no turn for a second asks again behind all others.
     */
    @Test
    void leasesAreTakenRenewedAndReleasedBesideManyWaiters() throws Exception {
        RowlockClient renewing = closing(RowlockClient.builder(node.store)
                .owner("renewing")
                .ttl(ofMinutes(1))
                .renewalInterval(ofMillis(500))
                .build());
        HeldLock held = renewing.acquire(LockRequest.exclusive("held"));
        List<Other<End>> waiters = startWaiters(ofMinutes(10));
        int renewals = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > renewals + 2);
        assertThat(held.isHeld()).isTrue();
        renewing.acquire(LockRequest.exclusive("free").withWaitTime(ofMinutes(8)));
        held.close();
        assertThat(rival.canTake("held")).isTrue();
        assertThat(waiters).noneMatch(Other::isDone);
        waiters.forEach(waiter -> waiter.thread().interrupt());
        for (Other<End> waiter : waiters) {
            assertThat(waiter.get().failure()).isInstanceOf(LockInterruptedException.class);
        }
    }

    /** Two seconds of silence are an outage. They must begin in time for the waiter that was started first. */
    @Test
    void outageIsToldToEveryWaiterInTime() throws Exception {
        Duration patience = ofSeconds(10);
        List<Other<End>> waiters = startWaiters(patience);
        cable.cut();
        for (Other<End> waiter : waiters) {
            End end = waiter.get();
            assertThat(end.failure()).isInstanceOf(LockStoreException.class);
            assertThat(end.after()).isLessThan(patience.plus(Node.QUERY_TIMEOUT).plus(SLACK));
        }
    }

    @Test
    void waitForAConnectionCanBeInterrupted() throws Exception {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            all.add(closing(node.pool.getConnection()));
        }
        Other<End> waiter = Other.does(() -> waitFor("a", PATIENCE));
        await().until(() -> node.pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
        waiter.thread().interrupt();
        assertThat(waiter.get().failure()).isInstanceOf(LockInterruptedException.class);
        assertThat(all).hasSize(CONNECTIONS);
        assertThat(node.use().queues()).isZero();
    }
}
