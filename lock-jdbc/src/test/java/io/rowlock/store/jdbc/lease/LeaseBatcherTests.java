package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.await;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.lease.LeaseBatcher.ChangedGate;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import io.rowlock.test.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Which changes share a packet, and what becomes of them if it fails. */
@OnServer(ServerFlavor.MYSQL)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeaseBatcherTests {
    private static final Duration PATIENT = Duration.ofMinutes(1);

    /** Not too short for a thread to start meanwhile. */
    private static final Duration IMPATIENT = Duration.ofMillis(500);

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
        gateway.sent.set(0);
        gateway.broken = false;
    }

    @AfterServer
    void close() {
        table.close();
    }

    /** What packets pass on their way to the server. The first waits while it is closed. */
    private final class Gateway extends DelegatingDataSource {
        private final AtomicInteger sent = new AtomicInteger();
        private volatile CountDownLatch closed = new CountDownLatch(0);
        private volatile boolean broken;

        Gateway() {
            super(table.packetPool());
        }

        @Override
        public Connection getConnection() throws SQLException {
            try {
                if (sent.getAndIncrement() == 0) {
                    assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
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

    private LeaseBatcher batcher(int connections, Duration patience) {
        return new LeaseBatcher(LeaseTable.database(gateway), LeaseTable.PREFIX, connections, 0, patience);
    }

    private LeaseChange takeOfFreeKey() {
        Lease lease = table.acquire(freshKey());
        assertThat(table.store().release(lease)).isTrue();
        return LeaseChange.take(request(lease.key(), LockMode.EXCLUSIVE, LeaseTable.TTL));
    }

    /** A change in a thread of its own. */
    private static final class Attempt {
        private volatile @Nullable Thread thread;
        private final CompletableFuture<@Nullable ChangedGate> outcome;

        Attempt(LeaseBatcher batcher, LeaseChange change) {
            outcome = async(() -> {
                thread = Thread.currentThread();
                return batcher.tryChange(change);
            });
        }

        boolean waits() {
            Thread current = thread;
            return current != null && current.getState() == Thread.State.TIMED_WAITING;
        }

        @Nullable
        ChangedGate gate() throws Exception {
            return outcome.get(20, TimeUnit.SECONDS);
        }
    }

    private Attempt firstInFrontOfGateway(LeaseBatcher batcher) {
        gateway.closed = new CountDownLatch(1);
        Attempt first = new Attempt(batcher, takeOfFreeKey());
        await(() -> gateway.sent.get() == 1);
        return first;
    }

    @Test
    void changesThatGatherShareTheNextPacket() throws Exception {
        LeaseBatcher batcher = batcher(1, PATIENT);
        Attempt first = firstInFrontOfGateway(batcher);
        List<Attempt> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            others.add(new Attempt(batcher, takeOfFreeKey()));
        }
        await(() -> others.stream().allMatch(Attempt::waits));

        gateway.closed.countDown();

        assertThat(first.gate()).isNotNull();
        for (Attempt other : others) {
            assertThat(other.gate()).isNotNull();
        }
        assertThat(gateway.sent).hasValue(2);
    }

    @Test
    void packetThatTakesLongHoldsNoOtherPacketUp() throws Exception {
        LeaseBatcher batcher = batcher(2, IMPATIENT);
        Attempt first = firstInFrontOfGateway(batcher);

        assertThat(new Attempt(batcher, takeOfFreeKey()).gate()).isNotNull();
        assertThat(first.outcome).isNotDone();
    }

    @Test
    void changeGoesAloneIfAllConnectionsTakeLong() throws Exception {
        LeaseBatcher batcher = batcher(1, IMPATIENT);
        Attempt first = firstInFrontOfGateway(batcher);

        assertThat(new Attempt(batcher, takeOfFreeKey()).gate()).isNull();
        assertThat(first.outcome).isNotDone();
    }

    @Test
    void changeWaitsForItsPacketWherePacketsUsuallyTakeLong() throws Exception {
        Duration patience = Duration.ofMillis(200);
        LeaseBatcher batcher = batcher(1, patience);
        Attempt slow = firstInFrontOfGateway(batcher);
        Thread.sleep(2_000); // each packet takes ten times the patience, of which a change waits for at most that
        gateway.closed.countDown();
        assertThat(slow.gate()).isNotNull();

        gateway.sent.set(0);
        Attempt next = firstInFrontOfGateway(batcher);
        Attempt waiting = new Attempt(batcher, takeOfFreeKey());
        Thread.sleep(2 * patience.toMillis()); // longer than it would wait if packets were quick
        gateway.closed.countDown();
        assertThat(next.gate()).isNotNull();
        assertThat(waiting.gate()).isNotNull();
    }

    @Test
    void changeGoesAloneAtOnceAfterTheEnd() throws Exception {
        LeaseBatcher batcher = batcher(1, PATIENT);
        batcher.close();

        assertThat(new Attempt(batcher, takeOfFreeKey()).gate()).isNull();
        assertThat(batcher.enter()).isFalse();
    }

    @Test
    void secondChangeOfKeyGoesAlone() throws Exception {
        LeaseBatcher batcher = batcher(1, PATIENT);
        Attempt first = firstInFrontOfGateway(batcher);
        LeaseChange change = takeOfFreeKey();
        Attempt second = new Attempt(batcher, change);
        await(second::waits);

        assertThat(batcher.tryChange(change)).isNull();

        gateway.closed.countDown();
        assertThat(first.gate()).isNotNull();
        assertThat(second.gate()).isNotNull();
    }

    @Test
    void interruptedThreadGoesAloneAndStaysInterrupted() throws Exception {
        LeaseBatcher batcher = batcher(1, PATIENT);
        firstInFrontOfGateway(batcher);
        LeaseChange change = takeOfFreeKey();
        CompletableFuture<Boolean> interrupted = async(() -> {
            Thread.currentThread().interrupt();
            return batcher.tryChange(change) == null && Thread.currentThread().isInterrupted();
        });

        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void outcomeIsUncertainForAllOfPacketThatBroke() throws Exception {
        LeaseBatcher batcher = batcher(1, PATIENT);
        Attempt first = firstInFrontOfGateway(batcher);
        Attempt second = new Attempt(batcher, takeOfFreeKey());
        Attempt third = new Attempt(batcher, takeOfFreeKey());
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
    void connectionThatTakesOneStatementAtATimeEndsPackets() {
        LeaseBatcher batcher = table.batcher(table.pool(config -> {}), 0);
        LeaseChange change = takeOfFreeKey();
        assertThat(batcher.enter()).isTrue();

        assertThat(batcher.tryChange(change)).isNull();

        assertThat(batcher.enter()).isFalse();
    }

    @Test
    void fewChangesAreNotGathered() {
        LeaseBatcher batcher = table.batcher(gateway, 2);
        assertThat(batcher.enter()).isFalse();
        assertThat(batcher.enter()).isFalse();
        assertThat(batcher.enter()).isTrue();
        batcher.leave();
        batcher.leave();
        assertThat(batcher.enter()).isFalse();
    }
}
