package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.acquire;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.store.jdbc.lease.UniqueKeyContract;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.lease.UniqueKeyTable;
import io.rowlock.store.jdbc.log.AsyncLockLog;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What dead holders leave, and what the log says of them, each by the table of its strategy. */
@OnEachServer(dependsOnServer = true)
class UniqueKeyCleanUpTests extends UniqueKeyContract {

    private LockDatabase database;
    private Maintenance cleanUp;
    private AsyncLockLog log;

    @BeforeEach
    void openCleanUp() {
        server.jdbc().update("DELETE FROM rowlock_unique_key");
        server.jdbc().update("DELETE FROM rowlock_lock_log");
        database = new LockDatabase(server.pool(config -> {}), 8, LeaseTable.QUERY_TIMEOUT);
        cleanUp = new TableCleanUp(database, LeaseTable.PREFIX, Duration.ofDays(7), Duration.ofDays(7));
        log = new AsyncLockLog(database, LeaseTable.PREFIX);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** A lease, and a row of the log that says so. */
    private Lease logged() {
        Lease lease = acquire(store, freshKey());
        LockLog.Entry unused = log.granted(UniqueKeyStore.NAME, lease, lease.fence(), Duration.ZERO);
        return lease;
    }

    private void awaitLog(String key, String... rows) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(logRows(key)).containsExactly(rows));
    }

    private void age(Lease lease, Duration expired) {
        server.jdbc()
                .update(
                        "UPDATE rowlock_unique_key SET expires_at = UTC_TIMESTAMP(6) - INTERVAL ? SECOND"
                                + " WHERE lock_key = ?",
                        expired.toSeconds(),
                        bytes(lease.key()));
    }

    private List<String> logRows(String key) {
        return server.jdbc()
                .queryForList(
                        "SELECT CONCAT(strategy, ' ', status) FROM rowlock_lock_log WHERE lock_key = ? ORDER BY id",
                        String.class,
                        key);
    }

    @Test
    void deadHoldersRowGoesAndLateAndLiveOnesStay() {
        Lease live = acquire(store, freshKey());
        Lease late = acquire(store, freshKey());
        Lease dead = acquire(store, freshKey());
        age(late, Duration.ofSeconds(10));
        age(dead, Duration.ofMinutes(2));
        assertThat(cleanUp.cleanUp()).contains("unique keys of dead holders: 1");
        assertThat(table.rows(live.key()) + table.rows(late.key())).isEqualTo(2);
        assertThat(table.rows(dead.key())).isZero();
        assertThat(cleanUp.cleanUp()).isEmpty();
    }

    @Test
    void manyRowsGoPageByPageWhateverTheirKeysAndTheLockedOneStays() {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < 1_203; i++) {
            rows.add(new Object[] {new byte[] {(byte) 0xff, (byte) (i >> 8), (byte) i}});
        }
        server.jdbc()
                .batchUpdate(
                        "INSERT INTO rowlock_unique_key (lock_key, owner, acquired_at, expires_at)"
                                + " VALUES (?, 'x', '2020-01-01', '2020-01-01')",
                        rows);
        Lease locked = acquire(store, freshKey());
        age(locked, Duration.ofMinutes(2));
        try (LeaseTable.OpenTransaction other = server.begin()) {
            UniqueKeyTable.lockRow(other, locked.key(), "FOR UPDATE");
            assertThat(cleanUp.cleanUp()).contains("unique keys of dead holders: 1203");
            assertThat(table.rows(locked.key())).isOne();
        }
        assertThat(cleanUp.cleanUp()).contains("unique keys of dead holders: 1");
    }

    @Test
    void grantOfADeadHolderExpiresAsSoonAsItsKeyIsTakenOver() {
        Lease dead = logged();
        log.granted(UniqueKeyStore.NAME, dead, dead.fence() + 1, Duration.ZERO).released();
        awaitLog(dead.key(), "unique-key HELD", "unique-key RELEASED");
        log.expired(UniqueKeyStore.NAME, dead);
        Lease next = logged(); // what came before it is written when it is
        awaitLog(next.key(), "unique-key HELD");
        awaitLog(dead.key(), "unique-key HELD", "unique-key RELEASED");
        table.expire(dead);
        Attempt.Granted taken = (Attempt.Granted) LeaseTable.attempt(store, dead.key());
        log.expired(UniqueKeyStore.NAME, taken.former().orElseThrow().lease());
        awaitLog(dead.key(), "unique-key EXPIRED", "unique-key RELEASED");
    }

    @Test
    void eachGrantIsJudgedByTheTableOfItsStrategy() {
        Lease unique = logged();
        Lease dead = logged();
        age(dead, Duration.ofMinutes(2));
        LeaseStore leases = new LeaseStore(database, LeaseTable.PREFIX, null, null);
        Lease leased = LeaseTable.granted(leases.tryAcquire(request(freshKey(), LockMode.EXCLUSIVE, LeaseTable.TTL)));
        LockLog.Entry unused = log.granted(LeaseStore.NAME, leased, leased.fence(), Duration.ZERO);
        for (Lease lease : List.of(unique, dead, leased)) {
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> !logRows(lease.key()).isEmpty());
        }
        for (String strategy : List.of("lease", "unique-key", "row-lock")) {
            entry(strategy, "nobody", Duration.ofDays(1));
        }
        entry("row-lock", "ancient", Duration.ofDays(8));
        server.jdbc().update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 1 HOUR WHERE fence > 1");

        assertThat(cleanUp.cleanUp()).contains("log rows of expired leases: 4", "old log rows: 1");

        assertThat(logRows(unique.key())).containsExactly("unique-key HELD");
        assertThat(logRows(dead.key())).containsExactly("unique-key EXPIRED");
        assertThat(logRows(leased.key())).containsExactly("lease HELD");
        assertThat(logRows("nobody")).containsExactly("lease EXPIRED", "unique-key EXPIRED", "row-lock HELD");
        assertThat(logRows("ancient")).isEmpty();
    }

    private void entry(String strategy, String key, Duration age) {
        server.jdbc()
                .update(
                        "INSERT INTO rowlock_lock_log"
                                + " (strategy, lock_key, mode, owner, fence, status, acquired_at, waited_micros)"
                                + " VALUES (?, ?, 'EXCLUSIVE', 'dead', 1, 'HELD', UTC_TIMESTAMP(6) - INTERVAL ? SECOND, 0)",
                        strategy,
                        key,
                        age.toSeconds());
    }

    @Test
    void viewShowsTheLocksOfBothTables() {
        Lease unique = acquire(store, freshKey());
        Lease expired = acquire(store, freshKey());
        table.expire(expired);
        LeaseStore leases = new LeaseStore(database, LeaseTable.PREFIX, null, null);
        LeaseTable.granted(leases.tryAcquire(request(unique.key(), LockMode.EXCLUSIVE, LeaseTable.TTL)));
        assertThat(server.jdbc()
                        .queryForList(
                                "SELECT CONCAT_WS(' ', strategy, mode, owner, seconds_left BETWEEN 1 AND 30)"
                                        + " FROM rowlock_locks_held WHERE lock_key IN (?, ?) ORDER BY strategy",
                                String.class,
                                unique.key(),
                                expired.key()))
                .containsExactly("lease EXCLUSIVE alice 1", "unique-key EXCLUSIVE alice 1");
    }
}
