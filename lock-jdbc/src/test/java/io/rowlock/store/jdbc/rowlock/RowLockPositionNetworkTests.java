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
import io.rowlock.LockStoreException;
import io.rowlock.servers.Cable;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The queue for a key, and waiters whose network is cut. Apart from {@link RowLockPositionTests}, as each waits for time-outs. */
@Order(4)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class RowLockPositionNetworkTests {
    private RowLockTable table;
    private RowLockStore store;
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
        holder = granted(attempt(store, key, LockMode.EXCLUSIVE));
    }

    @AfterEach
    void close() {
        table.closeOpened();
    }

    /** The statement that waits hears nothing for as long as the server may let it wait. */
    @Test
    void attemptInTheMiddleOfTheLineOfAServerThatDoesNotAnswerIsNotBusy() throws Exception {
        try (Cable cable = new Cable(table.jdbcUrl())) {
            HikariDataSource pool = table.pool(4, config -> config.setJdbcUrl(cable.url()));
            QueuePosition ticket = table.waiting(table.store(pool, 4, true), key);
            cable.cut();
            pool.setConnectionTimeout(1_000);
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> ticket.tryAcquire(request(key, LockMode.EXCLUSIVE, TTL)));
            ticket.close();
        }
    }

    /** The server has granted the gate to the position, and the answer does not come. */
    @Test
    void lastAttemptIsNotInTheWayOfItsOwnPosition() throws Exception {
        try (Cable cable = new Cable(table.jdbcUrl())) {
            RowLockStore far = table.store(cable, 4);
            QueuePosition ticket = table.waiting(far, key);
            cable.cutFirst();
            assertThat(store.release(holder)).isTrue();
            await(() -> table.waiting() == 0);
            assertThat(ticket.tryAcquire(request(key, LockMode.EXCLUSIVE, TTL))).isInstanceOf(Attempt.Busy.class);
            granted(ticket.tryAcquire(lastOf(request(key, LockMode.EXCLUSIVE, TTL))));
            ticket.close();
        }
    }

    /** Each would have the gate for a ttl, one after the other. */
    @Test
    void keyIsFreeSoonAlthoughWaitersWereCutOff() throws Exception {
        try (Cable cable = new Cable(table.jdbcUrl())) {
            RowLockStore far = table.store(table.pool(4, config -> config.setJdbcUrl(cable.url())), 8, true);
            for (int waiters = 1; waiters <= 3; waiters++) {
                far.queue()
                        .join(request(key, LockMode.EXCLUSIVE, TTL))
                        .orElseThrow()
                        .await(Duration.ofMillis(1));
                int all = waiters;
                await(() -> table.waiting() == all);
            }
            cable.cut();
            assertThat(store.release(holder)).isTrue();
            long end = System.nanoTime() + TTL.toNanos();
            await(() -> attempt(store, key, LockMode.EXCLUSIVE) instanceof Attempt.Granted);
            assertThat(System.nanoTime()).isLessThan(end);
        }
    }

    private static LeaseRequest lastOf(LeaseRequest request) {
        return new LeaseRequest(
                request.key(),
                request.mode(),
                request.owner(),
                request.ttl(),
                request.nonce(),
                Duration.ofNanos(-1),
                request.permits());
    }
}
