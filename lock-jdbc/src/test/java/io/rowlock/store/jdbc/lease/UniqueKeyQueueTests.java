package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Processes that wait for each other's unique keys. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class UniqueKeyQueueTests {
    private static final int TICKETS = 2;

    private LeaseTable table;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
    }

    @AfterServer
    void close() {
        table.close();
    }

    /** A store with a namedLocks of its own. */
    private final class Waiter {
        final NamedLocks namedLocks;
        final UniqueKeyStore store;

        /** The connection of its last position, as the driver has it. */
        volatile Connection position;

        Waiter() {
            HikariDataSource pool = table.pool(config -> {});
            DataSource positions = new DelegatingDataSource(pool) {
                @Override
                public Connection getConnection() throws SQLException {
                    Connection connection = super.getConnection();
                    position = connection.unwrap(JdbcConnection.class);
                    return connection;
                }
            };
            namedLocks = new NamedLocks(positions, TICKETS, LeaseTable.QUERY_TIMEOUT);
            store = new UniqueKeyStore(
                    new LockDatabase(pool, 8, LeaseTable.QUERY_TIMEOUT), LeaseTable.PREFIX, namedLocks);
        }

        int positionsInUse() {
            return TICKETS - FreePositions.of(namedLocks);
        }

        CompletableFuture<Lease> queueUp(String key) {
            return async(() -> take(key));
        }

        private Lease take(String key) throws InterruptedException {
            try (QueuePosition ticket = store.queue()
                    .join(request(key, LockMode.EXCLUSIVE, LeaseTable.TTL))
                    .orElseThrow()) {
                Attempt attempt = new Attempt.Busy(java.util.Optional.empty());
                while (attempt instanceof Attempt.Busy) {
                    ticket.await(Duration.ofSeconds(20));
                    attempt = ticket.tryAcquire(request(key, LockMode.EXCLUSIVE, LeaseTable.TTL));
                }
                return granted(attempt);
            }
        }
    }

    private void awaitFirstOfLine(String key) {
        String name = NamedLocks.name(LeaseTable.PREFIX.of(Table.UNIQUE_KEY), "?");
        LeaseTable.await(() -> table.count("SELECT IS_USED_LOCK(%s) IS NOT NULL".formatted(name), key) == 1);
    }

    @Test
    void lineMovesOnWithEachRelease() throws Exception {
        String key = freshKey();
        Waiter first = new Waiter();
        Waiter second = new Waiter();
        Waiter third = new Waiter();
        Lease held = granted(attempt(first.store, key));
        CompletableFuture<Lease> next = second.queueUp(key);
        awaitFirstOfLine(key);
        CompletableFuture<Lease> last = third.queueUp(key);
        LeaseTable.await(() -> third.positionsInUse() == 1);
        assertThat(first.store.release(held)).isTrue();
        Lease taken = next.get(20, TimeUnit.SECONDS);
        assertThat(second.positionsInUse()).isEqualTo(1);
        assertThat(second.store.release(taken)).isTrue();
        assertThat(third.store.release(last.get(20, TimeUnit.SECONDS))).isTrue();
        LeaseTable.await(() -> second.positionsInUse() + third.positionsInUse() == 0);
        granted(attempt(first.store, key));
    }

    /** Over the connection that has ended nothing is sent, so what is found over another one is certain. */
    @Test
    void releaseWhoseConnectionHasEndedBeforeSaysThatTheLeaseIsGone() throws Exception {
        String key = freshKey();
        Waiter first = new Waiter();
        Waiter second = new Waiter();
        Lease held = granted(attempt(first.store, key));
        CompletableFuture<Lease> next = second.queueUp(key);
        awaitFirstOfLine(key);
        assertThat(first.store.release(held)).isTrue();
        Lease lost = next.get(20, TimeUnit.SECONDS);
        second.position.abort(Runnable::run);
        table.jdbc().update("DELETE FROM rowlock_unique_key WHERE lock_key = ?", (Object) key.getBytes(UTF_8));
        assertThat(second.store.release(lost)).isFalse();
    }

    @Test
    void ownerThatReleasesAKeyQueuesForItNextTime() {
        String key = freshKey();
        Waiter process = new Waiter();
        assertThat(process.store.queue().isContended(key)).isFalse();
        // again, because that is forgotten within a moment
        LeaseTable.await(() -> process.store.release(granted(attempt(process.store, key)))
                && process.store.queue().isContended(key));
    }
}
