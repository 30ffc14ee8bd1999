package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static io.rowlock.store.jdbc.lease.LeaseTable.permitRequest;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.session.BeforeStatement;
import io.rowlock.store.jdbc.session.Statements;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a lock costs, what the driver's settings change (nothing), and what is left of a borrowed connection (all). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class LeaseStatementTests {

    private LeaseTable table;

    @BeforeServer
    void open(TestSchema schema) {
        table = new LeaseTable(schema);
    }

    @AfterServer
    void close() {
        table.close();
    }

    @Test
    void uncontendedLockCostsTwoStatements() {
        DataSource one = table.pool(config -> config.setMaximumPoolSize(1));
        LeaseStore store = LeaseTable.store(one);
        String key = freshKey();
        Runnable pair = () -> store.release(granted(attempt(store, key)));
        pair.run();
        assertThat(Statements.of(one, pair)).isEqualTo(2);
    }

    @Test
    void newKeyCostsOneStatementMore() {
        DataSource one = table.pool(config -> config.setMaximumPoolSize(1));
        LeaseStore store = LeaseTable.store(one);
        granted(attempt(store, freshKey()));
        assertThat(Statements.of(one, () -> granted(attempt(store, freshKey()))))
                .isEqualTo(2);
    }

    @Test
    void attemptInVainLeavesTheRowAsItWas() {
        Lease lease = table.acquire(freshKey());
        Supplier<Map<String, Object>> row = () -> table.jdbc()
                .queryForMap(
                        "SELECT owner, nonce, fence, acquired_at, expires_at FROM rowlock_lock WHERE lock_key = ? AND slot = 0",
                        lease.key().getBytes(UTF_8));
        Map<String, Object> before = row.get();
        assertThat(attempt(table.store(), lease.key())).isInstanceOf(Attempt.Busy.class);
        assertThat(row.get()).isEqualTo(before);
    }

    @Test
    void keyOfADeadHolderCostsTwoStatementsMore() {
        DataSource one = table.pool(config -> config.setMaximumPoolSize(1));
        LeaseStore store = LeaseTable.store(one);
        Lease dead = granted(attempt(store, freshKey()));
        table.expire(dead);
        // not given back, who was it, take it from that one
        assertThat(Statements.of(one, () -> granted(attempt(store, dead.key()))))
                .isEqualTo(3);
    }

    @Test
    void readerCostsTwoStatements() {
        DataSource one = table.pool(config -> config.setMaximumPoolSize(1));
        LeaseStore store = LeaseTable.store(one);
        String key = freshKey();
        Runnable pair = () -> store.release(granted(store.tryAcquire(request(key, LockMode.SHARED, LeaseTable.TTL))));
        pair.run();
        assertThat(Statements.of(one, pair)).isEqualTo(2);
    }

    @Test
    void permitCostsTwoStatements() {
        DataSource one = table.pool(config -> config.setMaximumPoolSize(1));
        LeaseStore store = LeaseTable.store(one);
        String key = freshKey();
        Runnable pair = () -> store.release(granted(store.tryAcquire(permitRequest(key, 5))));
        pair.run();
        assertThat(Statements.of(one, pair)).isEqualTo(2);
    }

    @Test
    void firstReaderOfAKeyCreatesItsGateMarked() {
        DataSource one = table.pool(config -> config.setMaximumPoolSize(1));
        LeaseStore store = LeaseTable.store(one);
        String key = freshKey();
        // nothing there, ask why, create, try again
        assertThat(Statements.of(one, () -> granted(store.tryAcquire(request(key, LockMode.SHARED, LeaseTable.TTL)))))
                .isEqualTo(4);
    }

    @Test
    void renewalOfManyCostsOneStatement() {
        DataSource one = table.pool(config -> config.setMaximumPoolSize(1));
        LeaseStore store = LeaseTable.store(one);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            leases.add(table.acquire(freshKey()));
        }
        store.renew(leases, LeaseTable.TTL);
        assertThat(Statements.of(one, () -> store.renew(leases, LeaseTable.TTL)))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"useAffectedRows=true", "useAffectedRows=false", "useServerPrepStmts=false"})
    void settingsOfTheDriverChangeNoAnswer(String setting) {
        String[] property = setting.split("=", 2);
        LeaseStore store =
                LeaseTable.store(table.pool(config -> config.addDataSourceProperty(property[0], property[1])));
        Lease lease = granted(attempt(store, freshKey()));
        assertThat(attempt(store, lease.key())).isInstanceOf(Attempt.Busy.class);
        assertThat(store.renew(List.of(lease), LeaseTable.TTL)).containsEntry(lease, Renewal.RENEWED);
        table.expire(lease);
        Lease successor = granted(attempt(store, lease.key()));
        assertThat(successor.fence()).isGreaterThan(lease.fence());
        assertThat(store.renew(List.of(lease, successor), LeaseTable.TTL))
                .containsEntry(lease, Renewal.LOST)
                .containsEntry(successor, Renewal.RENEWED);
        assertThat(store.release(lease)).isFalse();
        assertThat(store.release(successor)).isTrue();
        assertThat(store.release(successor)).isFalse();
        Lease reader = granted(store.tryAcquire(request(lease.key(), LockMode.SHARED, LeaseTable.TTL)));
        assertThat(reader.fence()).isEqualTo(successor.fence() + Lease.TOKENS - 1);
        Lease writer = ((Attempt.Draining) attempt(store, lease.key())).lease();
        assertThat(store.drained(writer).complete()).isFalse();
        table.expire(reader);
        assertThat(store.drained(writer).complete()).isTrue();
        assertThat(tokenInTheTable(writer)).isEqualTo(writer.fence());
    }

    private long tokenInTheTable(Lease lease) {
        return table.jdbc()
                .queryForObject(
                        "SELECT fence FROM rowlock_lock WHERE lock_key = ? AND slot = ?",
                        Long.class,
                        lease.key().getBytes(UTF_8),
                        lease.slot());
    }

    @Test
    void gateThatWasPurgedAndCreatedAgainHandsOutNoOlderToken() {
        Lease before = table.acquire(freshKey());
        table.jdbc()
                .update(
                        "DELETE FROM rowlock_lock WHERE lock_key = ?",
                        before.key().getBytes(UTF_8));
        Lease reader = table.acquireShared(before.key());
        assertThat(reader.fence()).isGreaterThan(before.fence());
        Lease after = ((Attempt.Draining) attempt(table.store(), before.key())).lease();
        assertThat(after.fence()).isGreaterThan(reader.fence());
    }

    /** As on a server of a cluster whose clock is ahead, or before a clock is set back. */
    @ParameterizedTest
    @EnumSource(
            value = LockMode.class,
            names = {"SHARED", "PERMIT"})
    void leaseBesideWhichAnotherOwnerHasEnteredIsGoneThoughItLastsByAnotherClock(LockMode mode) {
        LeaseStore ahead = LeaseTable.store(table.pool(config -> config.setConnectionInitSql(
                "SET SESSION innodb_lock_wait_timeout = 1, time_zone = '+00:00', timestamp = UNIX_TIMESTAMP() + 60")));
        Lease writer = table.acquire(freshKey());
        Attempt entered = ahead.tryAcquire(request(writer.key(), mode, LeaseTable.TTL));
        Lease lease = granted(entered);
        assertThat(((Attempt.Granted) entered).former().orElseThrow().lease()).isEqualTo(writer);
        assertThat(table.store().renew(List.of(writer), LeaseTable.TTL)).containsEntry(writer, Renewal.LOST);
        assertThat(table.store().release(writer)).isFalse();
        assertThat(ahead.release(lease)).isTrue();
    }

    /** Through another server of a cluster, or before a clock was set back. */
    @Test
    void expiredLeaseThatWasRenewedMeanwhileIsNotEndedForAReader() {
        Lease writer = table.acquire(freshKey());
        table.expire(writer);
        LeaseStore late = LeaseTable.store(new BeforeStatement(
                table.pool(config -> {}),
                sql -> sql.contains("SET expires_at = '1970-01-01'"),
                () -> table.jdbc()
                        .update(
                                "UPDATE rowlock_lock SET expires_at = UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE"
                                        + " WHERE lock_key = ? AND slot = 0",
                                writer.key().getBytes(UTF_8))));
        assertThat(late.tryAcquire(request(writer.key(), LockMode.SHARED, LeaseTable.TTL)))
                .isInstanceOf(Attempt.Busy.class);
        assertThat(table.store().renew(List.of(writer), LeaseTable.TTL)).containsEntry(writer, Renewal.RENEWED);
    }
}
