package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver refuses what is longer than a small {@code max_allowed_packet}, as it does with that of the server. */
@OnEachServer
class SmallPacketTests {
    /** Their keys are the longest, and of characters that a driver escapes where it writes them into the statement. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void thousandLeasesAreRenewedInAMegabyte(boolean prepared, TestSchema schema) {
        try (LeaseTable table = new LeaseTable(schema)) {
            LeaseStore small = LeaseTable.store(table.pool(config -> {
                config.addDataSourceProperty("useServerPrepStmts", String.valueOf(prepared));
                config.addDataSourceProperty("maxAllowedPacket", "1048576");
            }));
            List<Lease> gone = IntStream.range(0, 1_000)
                    .mapToObj(i -> new Lease(
                            "'".repeat(251) + (1_000 + i),
                            LockMode.SHARED,
                            Long.MAX_VALUE - 1,
                            Long.MAX_VALUE - 1,
                            "me"))
                    .toList();
            assertThat(small.renew(gone, Duration.ofMinutes(10)).values())
                    .hasSize(1_000)
                    .containsOnly(Renewal.LOST);
        }
    }

    /** The limit of a waiter whose time is over is that of one statement, however many keys its request has. */
    @Test
    void keyIsAskedForThoughTheTimeOfItsRequestHasLongBeenOver(TestSchema schema) {
        try (LeaseTable table = new LeaseTable(schema)) {
            LockDatabase database = LeaseTable.database(table.pool(config -> {}));
            Duration over = Duration.ofMinutes(-10);
            List<Integer> answer =
                    database.call(over, true, session -> session.query("SELECT 1", row -> row.getInt(1)));
            assertThat(answer).containsExactly(1);
        }
    }
}
