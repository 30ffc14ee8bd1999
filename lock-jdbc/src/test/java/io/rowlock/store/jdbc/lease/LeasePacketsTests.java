package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.await;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.lease.LeasePacket.Change;
import io.rowlock.store.jdbc.lease.LeasePacket.ChangedGate;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Which changes share a packet, and what becomes of them if it fails. */
@OnServer(ServerFlavor.MYSQL)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeasePacketsTests {
    private static final Duration PATIENT = Duration.ofMinutes(1);

    /** Not too short for a thread to start meanwhile. */
    private static final Duration IMPATIENT = Duration.ofMillis(500);

    /** The time by which the clock of packets is ahead. */
    private final AtomicLong ahead = new AtomicLong();

    private LeaseTable table;
    private Gateway gateway;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        gateway = new Gateway();
    }

    @AfterEach
    void letPacketsPass() {
        gateway.closed.countDown();
        gateway.second.countDown();
        gateway.sent.set(0);
        gateway.broken = false;
    }

    @AfterServer
    void close() {
        table.close();
    }

    /** A gate that packets pass on their way to the server. The first waits while it is closed, and the second in a way of its own. */
    private final class Gateway extends DelegatingDataSource {
        private final AtomicInteger sent = new AtomicInteger();
        private volatile CountDownLatch closed = new CountDownLatch(0);
        private volatile CountDownLatch second = new CountDownLatch(0);
        private volatile boolean broken;

        Gateway() {
            super(table.packetPool());
        }

        @Override
        public Connection getConnection() throws SQLException {
            try {
                int before = sent.getAndIncrement();
                if (before <= 1) {
                    assertThat((before == 0 ? closed : second).await(20, TimeUnit.SECONDS))
                            .isTrue();
                }
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
            Connection connection = super.getConnection();
            if (broken) {
                connection.unwrap(Connection.class).abort(Runnable::run);
            }
            return connection;
        }
    }

    private LeasePackets packets(int connections, Duration patience) {
        return new LeasePackets(
                LeaseTable.database(gateway),
                LeaseTable.PREFIX,
                connections,
                0,
                patience,
                () -> System.nanoTime() + ahead.get());
    }

    private Change takeOfFreeKey() {
        Lease lease = table.acquire(freshKey());
        assertThat(table.store().release(lease)).isTrue();
        return Change.acquire(request(lease.key(), LockMode.EXCLUSIVE, LeaseTable.TTL));
    }

    /** A change in a thread of its own. */
    private static final class Attempt {
        private volatile @Nullable Thread thread;
        private final CompletableFuture<Optional<ChangedGate>> outcome;

        Attempt(LeasePackets packets, Change change) {
            outcome = async(() -> {
                thread = Thread.currentThread();
                return packets.carryOut(change);
            });
        }

        boolean waits() {
            Thread current = thread;
            return current != null && current.getState() == Thread.State.TIMED_WAITING;
        }

        Optional<ChangedGate> gate() throws Exception {
            return outcome.get(20, TimeUnit.SECONDS);
        }
    }

    private Attempt firstInFrontOfGateway(LeasePackets packets) {
        gateway.closed = new CountDownLatch(1);
        Attempt first = new Attempt(packets, takeOfFreeKey());
        await(() -> gateway.sent.get() == 1);
        return first;
    }

    @Test
    void changesThatGatherShareTheNextPacket() throws Exception {
        LeasePackets packets = packets(2, PATIENT);
        Attempt first = firstInFrontOfGateway(packets);
        List<Attempt> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(new Attempt(packets, takeOfFreeKey()));
        }
        await(() -> others.stream().allMatch(Attempt::waits));

        gateway.closed.countDown();

        assertThat(first.gate()).isPresent();
        for (Attempt other : others) {
            assertThat(other.gate()).isPresent();
        }
        assertThat(gateway.sent).hasValue(2);
    }

    @Test
    void newKeysAreCreatedAcquiredTogether() throws Exception {
        LeasePackets packets = packets(1, PATIENT);
        Attempt first = firstInFrontOfGateway(packets);
        List<String> keys = List.of(freshKey(), freshKey(), freshKey());
        List<Attempt> others = keys.stream()
                .map(key -> new Attempt(packets, Change.acquire(request(key, LockMode.EXCLUSIVE, LeaseTable.TTL))))
                .toList();
        await(() -> others.stream().allMatch(Attempt::waits));

        gateway.closed.countDown();

        assertThat(first.gate()).isPresent();
        for (int i = 0; i < keys.size(); i++) {
            long fence = others.get(i).gate().orElseThrow().fence();
            assertThat(table.count(
                            "SELECT COUNT(*) FROM rowlock_lock WHERE lock_key = ? AND fence = ? AND shared = 0 AND expires_at > UTC_TIMESTAMP(6)",
                            keys.get(i),
                            fence))
                    .isOne();
        }
        assertThat(gateway.sent).hasValue(3);
    }

    @Test
    void packetThatTakesLongHoldsNoOtherPacketUp() throws Exception {
        LeasePackets packets = packets(2, IMPATIENT);
        Attempt first = firstInFrontOfGateway(packets);

        assertThat(new Attempt(packets, takeOfFreeKey()).gate()).isPresent();
        assertThat(first.outcome).isNotDone();
    }

    @Test
    void changeIsSentAtOnceIfNoPacketIsUnderWay() throws Exception {
        LeasePackets packets = packets(1, PATIENT);
        for (int i = 0; i < 3; i++) {
            assertThat(new Attempt(packets, takeOfFreeKey()).gate()).isPresent();
        }
    }

    /** The first packet takes longer than others are kept waiting for; the second does not. */
    @Test
    void workerSendsAtOnceWhatGatheredWhileItSentThoughAnotherPacketIsUnderWay() throws Exception {
        LeasePackets packets = packets(2, PATIENT);
        Attempt first = firstInFrontOfGateway(packets);
        gateway.second = new CountDownLatch(1);
        ahead.addAndGet(PATIENT.toNanos());
        Attempt second = new Attempt(packets, takeOfFreeKey());
        await(() -> gateway.sent.get() == 2);
        Attempt third = new Attempt(packets, takeOfFreeKey());
        await(third::waits);

        gateway.second.countDown();

        assertThat(second.gate()).isPresent();
        assertThat(third.gate()).isPresent();
        assertThat(first.outcome).isNotDone();
    }

    @Test
    void changeGoesAloneIfAllConnectionsTakeLong() throws Exception {
        LeasePackets packets = packets(1, IMPATIENT);
        Attempt first = firstInFrontOfGateway(packets);

        assertThat(new Attempt(packets, takeOfFreeKey()).gate()).isEmpty();
        assertThat(first.outcome).isNotDone();
    }

    @Test
    void changeWaitsForItsPacketWherePacketsTakeLong() throws Exception {
        Duration patience = Duration.ofSeconds(2); // it waits for ten times as long
        LeasePackets packets = packets(1, patience);
        Attempt slow = firstInFrontOfGateway(packets);
        Attempt waiting = new Attempt(packets, takeOfFreeKey());
        await(waiting::waits);
        Thread.sleep(patience.toMillis() + 500);
        gateway.closed.countDown();
        assertThat(slow.gate()).isPresent();
        assertThat(waiting.gate()).isPresent();
    }

    @Test
    void changeGoesAloneAtOnceAfterTheEnd() throws Exception {
        LeasePackets packets = packets(1, PATIENT);
        packets.close();

        assertThat(new Attempt(packets, takeOfFreeKey()).gate()).isEmpty();
        assertThat(packets.enter()).isFalse();
    }

    @Test
    void secondChangeOfKeyGoesAlone() throws Exception {
        LeasePackets packets = packets(1, PATIENT);
        Attempt first = firstInFrontOfGateway(packets);
        Change change = takeOfFreeKey();
        Attempt second = new Attempt(packets, change);
        await(second::waits);

        assertThat(packets.carryOut(change)).isEmpty();

        gateway.closed.countDown();
        assertThat(first.gate()).isPresent();
        assertThat(second.gate()).isPresent();
    }

    @Test
    void interruptedThreadGoesAloneAndStaysInterrupted() throws Exception {
        LeasePackets packets = packets(1, PATIENT);
        firstInFrontOfGateway(packets);
        Change change = takeOfFreeKey();
        CompletableFuture<Boolean> interrupted = async(() -> {
            Thread.currentThread().interrupt();
            return packets.carryOut(change).isEmpty() && Thread.currentThread().isInterrupted();
        });

        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void outcomeIsUncertainForAllOfPacketThatBroke() throws Exception {
        LeasePackets packets = packets(1, PATIENT);
        Attempt first = firstInFrontOfGateway(packets);
        Attempt second = new Attempt(packets, takeOfFreeKey());
        Attempt third = new Attempt(packets, takeOfFreeKey());
        await(() -> second.waits() && third.waits());
        gateway.broken = true;
        gateway.closed.countDown();
        for (Attempt attempt : List.of(first, second, third)) {
            assertThat(attempt.outcome)
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(UncertainOutcomeException.class);
        }
    }

    @Test
    void outcomeIsUncertainIfPacketHangs() {
        LockDatabase hanging = new LockDatabase(gateway, 1, Duration.ofSeconds(1));
        gateway.closed = new CountDownLatch(1);
        try (LeasePackets packets =
                new LeasePackets(hanging, LeaseTable.PREFIX, 1, 0, Duration.ofMillis(1), System::nanoTime)) {
            assertThat(new Attempt(packets, takeOfFreeKey()).outcome)
                    .failsWithin(Duration.ofSeconds(15))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(UncertainOutcomeException.class);
        }
    }

    @Test
    void connectionThatTakesOneStatementAtATimeEndsPackets() {
        LeasePackets packets = table.packets(table.pool(config -> {}), 0);
        Change change = takeOfFreeKey();
        assertThat(packets.enter()).isTrue();

        assertThat(packets.carryOut(change)).isEmpty();

        assertThat(packets.enter()).isFalse();
    }

    @Test
    void fewChangesAreNotGathered() {
        LeasePackets packets = table.packets(gateway, 2);
        assertThat(packets.enter()).isFalse();
        assertThat(packets.enter()).isFalse();
        assertThat(packets.enter()).isTrue();
        packets.leave();
        packets.leave();
        assertThat(packets.enter()).isFalse();
    }
}
