package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.client.Node.Logging;
import io.rowlock.test.Cable;
import io.rowlock.test.OnEachServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An acquire returns no later than its wait time and one query time-out, whatever the database and the network do. */
@Order(3)
@OnEachServer
class DeadlineTests extends ClientContract {
    /** For a machine that is busy with something else. */
    private static final Duration SLACK = ofMillis(1_500);

    private Cable cable;

    @BeforeEach
    void startBehindACable() throws IOException {
        cable = new Cable(schema.jdbcUrl());
        node = closing(new Node(Pools.starter(schema, cable.url()), "far", Logging.OFF));
        closing(cable);
    }

    private static LockRequest exclusive(Duration waitTime, String... keys) {
        return LockRequest.exclusive(keys).withWaitTime(waitTime);
    }

    /** @return how the attempt ended, in time */
    private Throwable failure(LockRequest request) throws Exception {
        long start = System.nanoTime();
        Throwable failure = starting(request).failure();
        assertInTime(start, request);
        return failure;
    }

    private Other<HeldLock> starting(LockRequest request) {
        return Other.does(() -> node.client.acquire(request));
    }

    private static void assertInTime(long start, LockRequest request) {
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(request.waitTime().plus(Node.QUERY_TIMEOUT).plus(SLACK));
    }

    private void connect() {
        connect("a");
    }

    private void connect(String key) {
        node.take(key).close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void networkThatStallsBeforeTheAttempt(long waitMillis) throws Exception {
        connect();
        cable.cut();
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
        assertThat(failure(LockRequest.shared("b").withWaitTime(ofMillis(waitMillis))))
                .isInstanceOf(LockStoreException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void networkThatStallsBeforeTheFirstConnection(long waitMillis) throws Exception {
        cable.cut();
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
    }

    @Test
    void networkThatStallsWhileTheKeyIsWaitedFor() throws Exception {
        LockRequest request = exclusive(ofSeconds(3), "a");
        try (HeldLock held = rival.take("a")) {
            connect("b");
            int calls = node.store.calls.get();
            long start = System.nanoTime();
            Other<HeldLock> waiter = starting(request);
            await().until(() -> node.store.calls.get() > calls && node.namedLocks.positionsInUse() == 1);
            cable.cut();
            assertThat(waiter.failure()).isInstanceOf(LockStoreException.class);
            assertInTime(start, request);
            assertThat(held.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void serverThatRefusesConnections(long waitMillis) throws Exception {
        connect();
        cable.refuse();
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
        assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockStoreException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void poolWithoutAConnectionToGive(long waitMillis) throws Exception {
        connect();
        for (int i = 0; i < node.pool.getMaximumPoolSize(); i++) {
            closing(node.pool.getConnection());
        }
        assertThat(failure(exclusive(ofMillis(waitMillis), "a")))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("pool");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000})
    void rowThatAnotherTransactionHasLockedIsBusy(long waitMillis) throws Exception {
        connect();
        try (Connection other = schema.dataSource().getConnection();
                PreparedStatement lock =
                        other.prepareStatement("SELECT * FROM rowlock_lock WHERE lock_key = ? FOR UPDATE")) {
            other.setAutoCommit(false);
            lock.setBytes(1, LockTable.bytes("a"));
            assertThat(lock.executeQuery().next()).isTrue();
            assertThat(failure(exclusive(ofMillis(waitMillis), "a"))).isInstanceOf(LockNotAcquiredException.class);
            other.rollback();
        }
        assertThat(node.canTake("a")).isTrue();
    }

    @Test
    void lastOfSeveralKeysThatStalls() throws Exception {
        connect("c");
        node.store.acquiring = (request, real) -> {
            if (request.key().equals("c")) {
                cable.cut();
            }
            return real.call(request);
        };
        assertThat(failure(exclusive(ofSeconds(1), "a", "b", "c"))).isInstanceOf(LockStoreException.class);
    }

    @Test
    void writersDrainThatStalls() throws Exception {
        node.read("a").close();
        node.store.draining = (lease, real) -> {
            cable.cut();
            return real.call(lease);
        };
        assertThat(failure(exclusive(ofSeconds(1), "a"))).isInstanceOf(LockStoreException.class);
    }

    /** The one who asks hears nothing; the other must not wait for that. */
    @Test
    void stallDoesNotHoldUpThoseInLine() throws Exception {
        connect();
        cable.cut();
        LockRequest request = exclusive(ofSeconds(3), "a");
        Other<HeldLock> first = starting(request);
        long start = System.nanoTime();
        Other<HeldLock> second = starting(request);
        assertThat(first.failure()).isInstanceOf(LockStoreException.class);
        assertThat(second.failure()).isInstanceOf(LockStoreException.class);
        assertInTime(start, request);
    }

    @Test
    void leftoverThatCannotBeTakenBackHoldsUpTheNextNoLonger() throws Exception {
        connect();
        cable.cut();
        assertThat(failure(exclusive(Duration.ZERO, "a"))).isInstanceOf(LockStoreException.class);
        assertThat(failure(exclusive(ofSeconds(1), "a"))).isInstanceOf(LockStoreException.class);
    }
}
