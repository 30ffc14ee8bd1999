package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.LeaseTable.permitRequest;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.inspection.StoreInspection.Holder;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What happens to the store while other transactions have its rows locked, or want them too. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(11)
@OnEachServer(dependsOnServer = true, mariaDb118 = true)
class LeaseRowLockTests {

    private static final byte[] NO_KEY = {1};

    private LeaseTable table;
    private LeaseStore store;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
        store = table.store();
    }

    @AfterServer
    void close() {
        table.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOCK IN SHARE MODE", "FOR UPDATE"})
    void lockedGateIsBusyAndItsReleaseAnError(String how) {
        Lease expired = table.acquire(freshKey());
        table.expire(expired);
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(expired.key(), 0, how);
            assertThat(attempt(store, expired.key())).isEqualTo(new Attempt.Busy(Optional.empty()));
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> store.release(expired))
                    .withMessageContaining("another transaction");
        }
        granted(attempt(store, expired.key()));
    }

    /** Its transaction is open, and its commit may follow. */
    @Test
    void expiredPermitThatATransactionHasCheckedDoesNotHideTheOthers() {
        String key = freshKey();
        Lease checked = granted(store.tryAcquire(permitRequest(key, 2)));
        Lease dead = granted(store.tryAcquire(permitRequest(key, 2)));
        table.expire(checked);
        table.expire(dead);
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(key, checked.slot(), "LOCK IN SHARE MODE");
            granted(store.tryAcquire(permitRequest(key, 2)));
            assertThat(store.tryAcquire(permitRequest(key, 2))).isInstanceOf(Attempt.Busy.class);
        }
        granted(store.tryAcquire(permitRequest(key, 2)));
    }

    /** Two that counted before they had the gate would both enter. */
    @Test
    void permitCountsOnlyWhenItHasTheGate() throws Exception {
        String key = freshKey();
        store.release(granted(store.tryAcquire(permitRequest(key, 1))));
        DataSource one = table.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 20, time_zone = '+00:00'");
        });
        long session = LeaseTable.connectionId(one);
        CompletableFuture<Attempt> late;
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(key, 0, "FOR UPDATE");
            late = async(() -> LeaseTable.store(one).tryAcquire(permitRequest(key, 1)));
            table.awaitLockWait(session);
            other.insertPermit(key, 1);
            other.commit();
        }
        assertThat(late.get(20, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(
                        Attempt.Busy.class,
                        busy -> assertThat(busy.holder())
                                .get()
                                .extracting(Holder::owner)
                                .isEqualTo("other"));
    }

    @Test
    void permitIsNotCountedAsFreeWhileItsGuardedTransactionIsOpen() throws Exception {
        String key = freshKey();
        Lease expired = granted(store.tryAcquire(permitRequest(key, 1)));
        table.expire(expired);
        try (LeaseTable.OpenTransaction guarded = table.begin()) {
            guarded.lock(key, expired.slot(), "LOCK IN SHARE MODE"); // as its fence does, before it has run out
            assertThat(store.tryAcquire(permitRequest(key, 1))).isInstanceOf(Attempt.Busy.class);
        }
        granted(store.tryAcquire(permitRequest(key, 1)));
    }

    /** A server that read all rows of this small table would wait for them. */
    @Test
    void permitDoesNotMeetTheRowsOfOtherKeys() {
        Lease before = granted(store.tryAcquire(permitRequest("0-" + freshKey(), 2)));
        Lease behind = granted(store.tryAcquire(permitRequest("zzz-" + freshKey(), 2)));
        String key = freshKey();
        granted(store.tryAcquire(permitRequest(key, 2)));
        try (LeaseTable.OpenTransaction other = table.begin()) {
            for (Lease locked : List.of(before, behind)) {
                other.lock(locked.key(), 0, "FOR UPDATE").lock(locked.key(), locked.slot(), "FOR UPDATE");
            }
            Lease second = granted(store.tryAcquire(permitRequest(key, 2)));
            assertThat(store.tryAcquire(permitRequest(key, 2))).isInstanceOf(Attempt.Busy.class);
            assertThat(store.release(second)).isTrue();
        }
    }

    @Test
    void fencesOfOtherPermitsDoNotKeepAPermitOut() {
        String key = freshKey();
        Lease present = granted(store.tryAcquire(permitRequest(key, 2)));
        try (LeaseTable.OpenTransaction guarded = table.begin()) {
            guarded.lock(key, present.slot(), "LOCK IN SHARE MODE");
            granted(store.tryAcquire(permitRequest(key, 2)));
        }
    }

    @Test
    void renewalGoesAroundALockedRowAndDoesNotCallItLost() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            leases.add(table.acquire(freshKey()));
        }
        Lease locked = leases.get(2);
        Lease lost = leases.get(4);
        table.expire(lost);
        Duration longer = Duration.ofMinutes(10);
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(locked.key(), 0, "LOCK IN SHARE MODE");
            Stopwatch time = Stopwatch.start();
            Map<Lease, Renewal> outcome = store.renew(leases, longer);
            assertThat(time.taken()).isLessThan(Duration.ofSeconds(5));
            assertThat(outcome)
                    .hasSize(5)
                    .containsEntry(leases.get(0), Renewal.RENEWED)
                    .containsEntry(leases.get(1), Renewal.RENEWED)
                    .containsEntry(locked, Renewal.UNKNOWN)
                    .containsEntry(leases.get(3), Renewal.RENEWED)
                    .containsEntry(lost, Renewal.LOST);
        }
        assertThat(remaining(leases.get(0))).isGreaterThan(LeaseTable.TTL);
        assertThat(remaining(leases.get(3))).isGreaterThan(LeaseTable.TTL);
        assertThat(remaining(locked)).isLessThanOrEqualTo(LeaseTable.TTL);
        assertThat(store.renew(List.of(locked), longer)).containsEntry(locked, Renewal.RENEWED);
    }

    /** With one lease, and with so many that a server may want to read all rows of this small table instead. */
    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void renewalDoesNotMeetTheRowsOfOthers(int count) {
        Lease others = table.acquire(freshKey());
        Lease behind = table.acquire("zzz-" + freshKey());
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            leases.add(table.acquire(freshKey()));
        }
        Counting pool = new Counting(table.pool(config -> {}));
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(others.key(), 0, "FOR UPDATE").lock(behind.key(), 0, "FOR UPDATE");
            assertThat(LeaseTable.store(pool).renew(leases, LeaseTable.TTL).values())
                    .containsOnly(Renewal.RENEWED);
        }
        assertThat(pool.connections)
                .as("no second attempt, around a locked row")
                .hasValue(1);
    }

    @Test
    void lockedRowOfALostLeaseIsKnownToBeLost() {
        Lease lost = table.acquire(freshKey());
        table.expire(lost);
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(lost.key(), 0, "FOR UPDATE");
            assertThat(store.renew(List.of(lost), LeaseTable.TTL)).containsEntry(lost, Renewal.LOST);
        }
    }

    private Duration remaining(Lease lease) {
        return store.inspection()
                .orElseThrow()
                .holder(lease.key(), LockMode.EXCLUSIVE)
                .orElseThrow()
                .remaining();
    }

    @Test
    void expiredReaderWhoseRowIsLockedKeepsTheWriterOut() {
        Lease reader = table.acquireShared(freshKey());
        Attempt.Draining writer = (Attempt.Draining) attempt(store, reader.key());
        table.expire(reader);
        try (LeaseTable.OpenTransaction checked = table.begin()) {
            checked.lock(reader.key(), reader.slot(), "LOCK IN SHARE MODE");
            assertThat(store.drained(writer.lease()).complete()).isFalse();
        }
        assertThat(store.drained(writer.lease()).complete()).isTrue();
    }

    @Test
    void readerDoesNotSlipInBesideAWriterThatHasNotCommittedYet() {
        String key = freshKey();
        assertThat(store.release(table.acquireShared(key))).isTrue();
        try (LeaseTable.OpenTransaction writer = table.begin()) {
            assertThat(writer.jdbc()
                            .update(
                                    new LeaseSql(LeaseTable.PREFIX).acquireExclusive,
                                    "bob",
                                    7L,
                                    30_000_000L,
                                    key.getBytes(UTF_8)))
                    .isEqualTo(1);
            assertThat(store.tryAcquire(request(key, LockMode.SHARED, LeaseTable.TTL)))
                    .isInstanceOf(Attempt.Busy.class);
        }
        table.acquireShared(key);
    }

    @Test
    void deadlockIsTriedAgain() throws Exception {
        Lease first = table.acquire("a-" + freshKey());
        Lease second = table.acquire("b-" + freshKey());
        HikariDataSource patient =
                table.pool(config -> config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 20"));
        patient.setMaximumPoolSize(1);
        long session = LeaseTable.connectionId(patient);
        Counting counting = new Counting(patient);
        CompletableFuture<Map<Lease, Renewal>> renewal;
        try (LeaseTable.OpenTransaction other = table.begin()) {
            insertRows(other, 60); // the server rolls back the transaction that changed less
            other.lock(second.key(), 0, "FOR UPDATE");
            renewal = async(() -> LeaseTable.store(counting).renew(List.of(first, second), LeaseTable.TTL));
            table.awaitLockWait(session);
            other.lock(first.key(), 0, "FOR UPDATE");
        }
        assertThat(renewal.get(20, TimeUnit.SECONDS))
                .containsEntry(first, Renewal.RENEWED)
                .containsEntry(second, Renewal.RENEWED);
        assertThat(counting.connections).hasValue(2);
    }

    private static void insertRows(LeaseTable.OpenTransaction transaction, int rows) {
        for (int i = 0; i < rows; i++) {
            transaction
                    .jdbc()
                    .update(
                            "INSERT INTO rowlock_lock (lock_key, slot, owner, fence, acquired_at, expires_at)"
                                    + " VALUES (?, ?, '', 0, '1970-01-01', '1970-01-01')",
                            NO_KEY,
                            i);
        }
    }

    /** Each try takes a connection. */
    private static final class Counting extends DelegatingDataSource {
        private final AtomicInteger connections = new AtomicInteger();

        private Counting(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            connections.incrementAndGet();
            return super.getConnection();
        }
    }
}
