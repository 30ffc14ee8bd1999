package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.TTL;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.attempt;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.await;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.granted;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.NoConnectionException;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.LastThread;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The queue for a key locked by {@code row-lock}, which is the server's own. */
@Order(15)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class RowLockPositionTests {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private RowLockTable table;
    private RowLockStore store;
    private RowLockStore other;
    private String key;
    private Lease holder;

    @BeforeServer
    void open(TestSchema schema) {
        table = new RowLockTable(schema);
    }

    @BeforeEach
    void hold() {
        key = "key-" + UUID.randomUUID();
        store = table.store(8, true);
        other = table.store(8, true);
        holder = granted(attempt(store, key, LockMode.EXCLUSIVE));
    }

    @AfterEach
    void close() {
        table.closeOpened();
    }

    /** A thread that stands in line and takes the key when its turn has come. */
    private final class Waiter {
        private final LeaseRequest request;
        private final QueuePosition ticket;
        private final CompletableFuture<Thread> thread = new CompletableFuture<>();
        private final Future<Lease> lease;

        Waiter(RowLockStore at, LockMode mode) {
            int before = table.waiting();
            request = request(key, mode, TTL);
            ticket = at.queue().join(request).orElseThrow();
            lease = threads.submit(this::take);
            await(() -> table.waiting() > before);
        }

        private Lease take() throws InterruptedException {
            thread.complete(Thread.currentThread());
            while (true) {
                ticket.await(LONG);
                if (ticket.tryAcquire(request) instanceof Attempt.Granted granted) {
                    return granted.lease();
                }
            }
        }

        Lease lease() throws Exception {
            return lease.get(30, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EXCLUSIVE", "SHARED"})
    void nextInLineIsWokenByTheReleaseAndItsPlaceBecomesTheLease(LockMode mode) throws Exception {
        Waiter waiter = new Waiter(other, mode);
        assertThat(store.release(holder)).isTrue();
        Lease next = waiter.lease();
        assertThat(next.mode()).isEqualTo(mode);
        assertThat(next.fence()).isGreaterThan(holder.fence());
        waiter.ticket.close();
        assertThat(attempt(store, key, LockMode.EXCLUSIVE)).isInstanceOf(Attempt.Busy.class);
        try (RowLockTable.OpenTransaction stranger = table.begin()) {
            assertThat(stranger.locks(key, -1, "FOR UPDATE NOWAIT")).isTrue();
        }
        assertThat(other.release(next)).isTrue();
    }

    @Test
    void waiterTriesNowAndThenIfNoThreadCanStandInLineForIt() throws Exception {
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, TTL);
        try (QueuePosition position = other.queue().join(request).orElseThrow()) {
            boolean waited = LastThread.call(() -> {
                position.await(Duration.ofMillis(1));
                return true;
            });
            assertThat(waited).isTrue();
            assertThat(position.tryAcquire(request)).isInstanceOf(Attempt.Busy.class);
            assertThat(store.release(holder)).isTrue();
            Lease next = granted(position.tryAcquire(request));
            assertThat(other.release(next)).isTrue();
        }
    }

    /** On MariaDB another connection passes the barrier. */
    @Test
    void gateIsKeptThoughNoConnectionIsFreeToPassTheBarrier() throws Exception {
        AtomicBoolean full = new AtomicBoolean();
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, TTL);
        try (RowLockStore waiting = storeWhoseStatements(full)) {
            QueuePosition position = atGate(waiting, request);
            full.set(true);
            Optional<Attempt> first = tried(position, request);
            full.set(false);
            try (RowLockTable.OpenTransaction stranger = table.begin()) {
                assertThat(stranger.locks(key, -2, "FOR UPDATE NOWAIT")).isFalse();
            }
            assertThat(first.orElseGet(() -> position.tryAcquire(request))).isInstanceOf(Attempt.Granted.class);
        }
    }

    /** Else the key would be free, and no thread could acquire it until the waiter's time is over. */
    @Test
    void gateIsGivenUpIfThereIsNoConnectionForTheNextAttemptEither() throws Exception {
        AtomicBoolean full = new AtomicBoolean();
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, TTL);
        try (RowLockStore waiting = storeWhoseStatements(full)) {
            QueuePosition position = atGate(waiting, request);
            full.set(true);
            Optional<Attempt> first = tried(position, request);
            Optional<Attempt> second = first.isPresent() ? first : tried(position, request);
            if (second.isEmpty()) {
                granted(attempt(other, key, LockMode.EXCLUSIVE));
                assertThat(tried(position, request).orElseThrow()).isInstanceOf(Attempt.Busy.class);
            } else { // the session of the gate passes the barrier
                assertThat(second.get()).isInstanceOf(Attempt.Granted.class);
            }
            position.close();
        }
    }

    private QueuePosition atGate(RowLockStore waiting, LeaseRequest request) throws InterruptedException {
        QueuePosition position = waiting.queue().join(request).orElseThrow();
        assertThat(store.release(holder)).isTrue();
        position.await(LONG);
        return position;
    }

    private RowLockStore storeWhoseStatements(AtomicBoolean haveNoConnection) {
        DataSource statements = new DelegatingDataSource(table.pool(4, config -> config.setAutoCommit(true))) {
            @Override
            public Connection getConnection() throws SQLException {
                if (haveNoConnection.get()) {
                    throw new SQLTransientConnectionException("all are in use");
                }
                return super.getConnection();
            }
        };
        return new RowLockStore(
                new LockDatabase(statements, 4, RowLockTable.QUERY_TIMEOUT),
                table.pool(4, config -> {}),
                4,
                RowLockTable.PREFIX,
                true);
    }

    private static Optional<Attempt> tried(QueuePosition position, LeaseRequest request) {
        try {
            return Optional.of(position.tryAcquire(request));
        } catch (NoConnectionException e) {
            return Optional.empty();
        }
    }

    @Test
    void firstComeFirstServed() throws Exception {
        List<Waiter> queue = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            queue.add(new Waiter(i % 2 == 0 ? other : store, LockMode.EXCLUSIVE));
        }
        assertThat(store.release(holder)).isTrue();
        for (int i = 0; i < 4; i++) {
            Lease lease = queue.get(i).lease();
            assertThat(queue.stream().filter(waiter -> waiter.lease.isDone())).hasSize(i + 1);
            assertThat((i % 2 == 0 ? other : store).release(lease)).isTrue();
        }
    }

    @Test
    void readersInLineEnterTogether() throws Exception {
        Waiter first = new Waiter(other, LockMode.SHARED);
        Waiter second = new Waiter(store, LockMode.SHARED);
        assertThat(store.release(holder)).isTrue();
        assertThat(first.lease().slot()).isNotEqualTo(second.lease().slot());
    }

    @Test
    void attemptInTheMiddleOfTheLineKeepsThePlace() throws Exception {
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, TTL);
        try (QueuePosition ticket = other.queue().join(request).orElseThrow()) {
            ticket.await(Duration.ofMillis(50));
            long session = table.waitingSession();
            assertThat(ticket.tryAcquire(request)).isInstanceOf(Attempt.Busy.class);
            ticket.await(Duration.ofMillis(1));
            assertThat(table.waitingSession()).isEqualTo(session);
        }
        await(() -> table.waiting() == 0);
    }

    @Test
    void waiterLooksAfterItsPositionWhoseAnswerMayBeLost() throws Exception {
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, TTL);
        QueuePosition ticket = other.queue().join(request).orElseThrow();
        long begin = System.nanoTime();
        ticket.await(LONG);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LONG);
        ticket.close();
    }

    @Test
    void waitingCanBeInterrupted() throws Exception {
        Waiter waiter = new Waiter(other, LockMode.EXCLUSIVE);
        waiter.thread.get().interrupt();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(waiter::lease)
                .withCauseInstanceOf(InterruptedException.class);
        waiter.ticket.close();
        await(() -> table.waiting() == 0);
    }

    @Test
    void abandonedPlaceGivesItsConnectionBackAndNeverKeepsTheGate() throws Exception {
        RowLockStore small = table.store(table.pool(2, config -> {}), 2, true);
        QueuePosition ticket = table.waiting(small, key);
        ticket.close();
        ticket.close();
        await(() -> table.waiting() == 0);
        assertThat(store.release(holder)).isTrue();
        granted(attempt(store, key, LockMode.EXCLUSIVE));
        for (int i = 0; i < 2; i++) {
            granted(small.tryAcquire(request(key + i, LockMode.EXCLUSIVE, TTL)));
        }
    }

    /** The pool sees the error, and ignores from then on that the connection is to be aborted. */
    @Test
    void waiterThatLeavesWaitsForNoAnswerAnyMore() throws Exception {
        WatchedConnections connections = new WatchedConnections(table.driver());
        HikariDataSource pool = table.pool(2, config -> {
            config.setDataSource(connections);
            config.setUsername(null);
        });
        QueuePosition ticket = table.waiting(table.store(pool, 2, true), key);
        assertThat(connections.queries()).isOne();
        ticket.close();
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> connections.queries() == 0);
        await(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }

    @Test
    void placeLeftAtTheGateFreesIt() throws Exception {
        QueuePosition ticket =
                other.queue().join(request(key, LockMode.EXCLUSIVE, TTL)).orElseThrow();
        ticket.await(Duration.ofMillis(1));
        assertThat(store.release(holder)).isTrue();
        ticket.await(LONG);
        assertThat(attempt(store, key, LockMode.EXCLUSIVE)).isInstanceOf(Attempt.Busy.class);
        ticket.close();
        granted(attempt(store, key, LockMode.EXCLUSIVE));
    }

    /** The holder's session has ended, but the transaction it guarded is about to commit. */
    @Test
    void placeKeepsTheGateUntilTheBarrierIsOpen() throws Exception {
        LeaseRequest request = request(key, LockMode.EXCLUSIVE, TTL);
        try (QueuePosition ticket = other.queue().join(request).orElseThrow();
                RowLockTable.OpenTransaction business = table.begin()) {
            assertThat(business.locks(key, -1, "FOR UPDATE")).isTrue();
            assertThat(store.release(holder)).isTrue();
            ticket.await(LONG);
            for (int i = 0; i < 3; i++) {
                assertThat(ticket.tryAcquire(request)).isInstanceOf(Attempt.Busy.class);
                ticket.await(LONG);
            }
            assertThat(attempt(store, key, LockMode.EXCLUSIVE)).isInstanceOf(Attempt.Busy.class);
            business.close();
            granted(ticket.tryAcquire(request));
            try (RowLockTable.OpenTransaction stranger = table.begin()) {
                assertThat(stranger.locks(key, -1, "FOR UPDATE NOWAIT")).isTrue();
            }
        }
        assertThat(attempt(store, key, LockMode.EXCLUSIVE)).isInstanceOf(Attempt.Busy.class);
    }

    @Test
    void halfOfTheConnectionsMayWait() {
        List<QueuePosition> tickets = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            tickets.add(other.queue()
                    .join(request(key + i, LockMode.EXCLUSIVE, TTL))
                    .orElseThrow());
        }
        assertThat(other.queue().join(request(key, LockMode.EXCLUSIVE, TTL))).isEmpty();
        tickets.get(0).close();
        await(() -> other.queue().join(request(key, LockMode.EXCLUSIVE, TTL)).isPresent());
    }

    @Test
    void placeWhoseSessionWasKilledIsTakenAnewAtTheEnd() throws Exception {
        Waiter waiter = new Waiter(other, LockMode.EXCLUSIVE);
        long session = table.waitingSession();
        table.kill(session);
        await(() -> table.waiting() == 1);
        assertThat(table.waitingSession()).isNotEqualTo(session);
        assertThat(store.release(holder)).isTrue();
        assertThat(waiter.lease().key()).isEqualTo(key);
    }

    @Test
    void positionThatEndedBetweenTwoWaitsIsTakenAnew() throws Exception {
        QueuePosition ticket = table.waiting(other, key);
        table.kill(table.waitingSession());
        Awaitility.await()
                .during(Duration.ofMillis(500))
                .atMost(Duration.ofSeconds(30))
                .until(() -> ticket.tryAcquire(request(key, LockMode.EXCLUSIVE, TTL)) instanceof Attempt.Busy);
        ticket.await(Duration.ofMillis(1));
        await(() -> table.waiting() == 1);
        ticket.close();
    }

    @Test
    void placeInLineForRowsThatWereRemovedStillGetsTheKey() throws Exception {
        try (RowLockTable.OpenTransaction remover = table.begin()) {
            assertThat(store.release(holder)).isTrue();
            remover.update("DELETE FROM rowlock_row WHERE lock_key = ?", key);
            Waiter waiter = new Waiter(other, LockMode.EXCLUSIVE);
            remover.commit();
            assertThat(waiter.lease().key()).isEqualTo(key);
        }
    }

    /** A server that starts again gives the numbers of its sessions to others. */
    @Test
    void sessionIsEndedOnlyByTheServerThatBeganIt() throws Exception {
        RowLockAttempts attempts = new RowLockAttempts(
                table.database(), NewRows.ofRowLocks(table.database(), RowLockTable.PREFIX), held -> {});
        long session = RowLockTable.session(store, holder);
        long start = table.jdbc().queryForObject("SELECT CONV(SUBSTR(UUID(), 20, 4), 16, 10)", Long.class);

        attempts.endSession(RowLockSql.end(session, start + 1));
        assertThat(table.exists(session)).isTrue();

        attempts.endSession(RowLockSql.end(session, start));
        await(() -> !table.exists(session));
    }
}
