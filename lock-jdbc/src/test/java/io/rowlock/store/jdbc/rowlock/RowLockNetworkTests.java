package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.TTL;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.await;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.granted;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.isFree;
import static io.rowlock.store.jdbc.rowlock.RowLockTable.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.servers.Cable;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Row locks of a node whose network is cut. Apart from {@link RowLockTests}, as each waits for time-outs. */
@Order(4)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class RowLockNetworkTests {
    private static final Duration SHORT = Duration.ofSeconds(1);

    private TestSchema schema;
    private RowLockTable table;
    private RowLockStore other;
    private String key;

    @BeforeServer
    void open(TestSchema own) {
        schema = own;
        table = new RowLockTable(own);
    }

    @BeforeEach
    void openStore() {
        key = "key-" + UUID.randomUUID();
        other = table.store(8, true);
    }

    @AfterEach
    void close() {
        table.closeOpened();
    }

    private static Lease acquire(RowLockStore at, String key, Duration ttl) {
        return granted(at.tryAcquire(request(key, LockMode.EXCLUSIVE, ttl)));
    }

    @Test
    void nodeCutOffTheNetworkLosesItsLockAfterItsTtlAndIsTold() throws Exception {
        try (Cable cable = new Cable(schema.jdbcUrl())) {
            RowLockStore far = table.store(cable, 4);
            Lease lease = acquire(far, key, SHORT);
            cable.cut();
            await(() -> isFree(other, key));
            assertThat(far.renew(List.of(lease), SHORT).get(lease)).isEqualTo(Renewal.LOST);
        }
    }

    /** More than the two seconds of grace after its last sign of life. */
    @Test
    void lockThatIsBeingExtendedDoesNotCountAsExpired() throws Exception {
        try (Cable cable = new Cable(schema.jdbcUrl())) {
            HikariDataSource pool = table.pool(4, config -> config.setJdbcUrl(cable.url()));
            RowLockStore far = table.store(pool, 4, true);
            Lease lease = acquire(far, key, TTL);
            Thread.sleep(2_500);
            cable.cut();
            pool.setConnectionTimeout(1_000);
            CompletableFuture<Void> extension =
                    CompletableFuture.runAsync(() -> far.renew(List.of(lease), TTL.multipliedBy(2)));
            Thread.sleep(200);
            CompletableFuture<Void> newcomer = CompletableFuture.runAsync(() -> acquire(far, key + 1, SHORT));
            Awaitility.await()
                    .during(Duration.ofSeconds(1))
                    .until(() -> !extension.isDone() && far.held.find(lease).isPresent());
            assertThat(newcomer).failsWithin(Duration.ofMinutes(1));
        }
    }

    @Test
    void endOfTheProcessFreesTheLockAtOnce() throws Exception {
        try (Cable cable = new Cable(schema.jdbcUrl())) {
            RowLockStore far = table.store(cable, 4);
            Lease lease = acquire(far, key, Duration.ofHours(1));
            cable.end();
            await(() -> isFree(other, key));
            assertThat(far.release(lease)).isFalse();
        }
    }

    @Test
    void sessionThatDoesNotAnswerHoldsUpNoOther() throws Exception {
        try (Cable cable = new Cable(schema.jdbcUrl())) {
            RowLockStore far = table.store(cable, 8);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                leases.add(acquire(far, key + i, TTL));
            }
            cable.cutFirst();
            Map<Lease, Renewal> outcome = far.renew(leases, Duration.ofSeconds(6));
            assertThat(outcome.values()).containsOnlyOnce(Renewal.UNKNOWN);
            assertThat(outcome.values().stream().filter(Renewal.RENEWED::equals))
                    .hasSize(5);
            await(() -> far.renew(leases, TTL).containsValue(Renewal.LOST));
            assertThat(far.renew(leases, TTL).values().stream().filter(Renewal.RENEWED::equals))
                    .hasSize(5);
        }
    }
}
