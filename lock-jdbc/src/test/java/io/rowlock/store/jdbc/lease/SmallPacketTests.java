package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The driver refuses what is longer than a small {@code max_allowed_packet}, as it does with that of the server. */
@OnEachServer
class SmallPacketTests {
    @Test
    void manyLeasesWithLongKeysAreAllRenewed(TestSchema schema) {
        try (LeaseTable table = new LeaseTable(schema)) {
            LeaseStore small =
                    LeaseTable.store(table.pool(config -> config.addDataSourceProperty("maxAllowedPacket", "16384")));
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                String key = "k".repeat(200) + i;
                Attempt attempt = small.tryAcquire(LeaseTable.request(key, LockMode.EXCLUSIVE, Duration.ofMinutes(10)));
                leases.add(((Attempt.Granted) attempt).lease());
            }
            Map<Lease, Renewal> outcome = small.renew(leases, Duration.ofMinutes(10));
            assertThat(outcome).hasSize(300);
            assertThat(outcome.values()).containsOnly(Renewal.RENEWED);
        }
    }

    /** The limit of a waiter whose time is over is that of one statement, however many keys its request has. */
    @Test
    void keyIsAskedForThoughTheTimeOfItsRequestHasLongBeenOver(TestSchema schema) {
        try (LeaseTable table = new LeaseTable(schema)) {
            LockDatabase database = LeaseTable.database(table.pool(config -> {}));
            Duration over = Duration.ofMinutes(-10);
            List<Integer> answer =
                    database.callWaiting(over, session -> session.query("SELECT 1", row -> row.getInt(1)));
            assertThat(answer).containsExactly(1);
        }
    }
}
