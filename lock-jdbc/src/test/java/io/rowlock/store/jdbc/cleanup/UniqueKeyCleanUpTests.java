package io.rowlock.store.jdbc.cleanup;

import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.acquire;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockLog;
import io.rowlock.store.Maintenance;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.store.jdbc.lease.UniqueKeyContract;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.store.jdbc.lease.UniqueKeyTable;
import io.rowlock.store.jdbc.log.SyncLockLog;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What dead holders leave, and what the log says of them, each by the table of its strategy. */
@OnEachServer(dependsOnServer = true)
class UniqueKeyCleanUpTests extends UniqueKeyContract {

    private LockDatabase database;
    private Maintenance cleanUp;
    private SyncLockLog log;
    private UniqueKeyStore logged;

    @BeforeEach
    void openCleanUp() {
        server.jdbc().update("DELETE FROM rowlock_unique_key");
        server.jdbc().update("DELETE FROM rowlock_lock_log");
        database = new LockDatabase(server.pool(config -> {}), LeaseTable.QUERY_TIMEOUT, false);
        cleanUp = new TableCleanUp(database, LeaseTable.PREFIX, Duration.ofDays(7), Duration.ofDays(7));
        log = new SyncLockLog(database, LeaseTable.PREFIX);
        logged = new UniqueKeyStore(database, LeaseTable.PREFIX, log, null);
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
        assertThat(cleanUp.cleanUp()).contains("1 unique keys of dead holders removed");
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
            assertThat(cleanUp.cleanUp()).contains("1203 unique keys");
            assertThat(table.rows(locked.key())).isOne();
        }
        assertThat(cleanUp.cleanUp()).contains("1 unique keys");
    }

    @Test
    void grantIsNotedInTheTransactionThatTakesTheKey() {
        Lease lease = acquire(logged, freshKey());
        assertThat(logRows(lease.key())).containsExactly("unique-key HELD");
        LockLog.Entry entry = log.granted(UniqueKeyStore.NAME, lease, lease.fence(), Duration.ZERO);
        entry.completed();
        logged.release(lease);
        entry.released();
        assertThat(logRows(lease.key())).containsExactly("unique-key RELEASED");
    }

    @Test
    void grantOfADeadHolderExpiresAsSoonAsItsKeyIsTakenOver() {
        Lease dead = acquire(logged, freshKey());
        log.granted(UniqueKeyStore.NAME, dead, dead.fence(), Duration.ZERO).released();
        log.granted(UniqueKeyStore.NAME, dead, dead.fence() + 1, Duration.ZERO); // handed on
        log.expired(UniqueKeyStore.NAME, dead);
        assertThat(logRows(dead.key())).as("it lives").containsExactly("unique-key RELEASED", "unique-key HELD");
        table.expire(dead);
        Attempt.Granted next = (Attempt.Granted) LeaseTable.attempt(logged, dead.key());
        log.expired(UniqueKeyStore.NAME, next.former().orElseThrow().lease());
        assertThat(logRows(dead.key())).containsExactly("unique-key RELEASED", "unique-key EXPIRED", "unique-key HELD");
    }

    @Test
    void grantThatCannotBeNotedIsNotMade() {
        String key = freshKey();
        server.jdbc().execute("RENAME TABLE rowlock_lock_log TO hidden");
        try {
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> acquire(logged, key));
        } finally {
            server.jdbc().execute("RENAME TABLE hidden TO rowlock_lock_log");
        }
        assertThat(table.rows(key)).isZero();
    }

    @Test
    void eachGrantIsJudgedByTheTableOfItsStrategy() {
        Lease unique = acquire(logged, freshKey());
        Lease dead = acquire(logged, freshKey());
        age(dead, Duration.ofMinutes(2));
        LeaseStore leases = new LeaseStore(database, LeaseTable.PREFIX, log, null);
        Lease leased = LeaseTable.granted(leases.tryAcquire(request(freshKey(), LockMode.EXCLUSIVE, LeaseTable.TTL)));
        for (String strategy : List.of("lease", "unique-key", "row-lock")) {
            entry(strategy, "nobody", Duration.ofDays(1));
        }
        entry("row-lock", "ancient", Duration.ofDays(8));
        server.jdbc().update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 1 HOUR WHERE fence > 1");

        assertThat(cleanUp.cleanUp()).contains("4 log rows marked expired", "1 old ones removed");

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
        LeaseStore leases = new LeaseStore(database, LeaseTable.PREFIX);
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
