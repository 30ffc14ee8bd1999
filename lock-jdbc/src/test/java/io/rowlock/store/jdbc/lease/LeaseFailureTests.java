package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.async;
import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.granted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.UncategorizedSQLException;

/** An outage is an outage: none of these may ever look as if another owner held the lock, or as if it were free. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@OnEachServer(dependsOnServer = true)
class LeaseFailureTests {

    private LeaseTable table;
    private TestSchema schema;

    @BeforeServer
    void open(TestSchema own) {
        schema = own;
        table = new LeaseTable(own);
    }

    @AfterServer
    void close() {
        table.close();
    }

    /** Every call fails, each with a message that says this. */
    private void assertEveryCallSays(LeaseStore broken, Lease lease, String... words) {
        List<Consumer<LeaseStore>> calls = List.of(
                store -> attempt(store, lease.key()),
                store -> attempt(store, freshKey()),
                store -> store.tryAcquire(LeaseTable.request(lease.key(), LockMode.SHARED, LeaseTable.TTL)),
                store -> store.renew(List.of(lease), LeaseTable.TTL),
                store -> store.release(lease),
                store -> store.abandon(LeaseTable.request(lease.key(), LockMode.EXCLUSIVE, LeaseTable.TTL)));
        for (Consumer<LeaseStore> call : calls) {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> call.accept(broken))
                    .withMessageContainingAll(words)
                    .isNotInstanceOf(UncertainOutcomeException.class);
        }
    }

    @Test
    void readOnlySessionIsNamed() {
        LeaseStore broken = LeaseTable.store(
                table.pool(config -> config.setConnectionInitSql("SET SESSION TRANSACTION READ ONLY")));
        assertEveryCallSays(broken, table.acquire(freshKey()), "read-only", "primary");
    }

    @Test
    void missingTableIsNamedAndHowToCreateIt() {
        LeaseStore broken = new LeaseStore(
                new LockDatabase(table.pool(config -> {}), 8, LeaseTable.QUERY_TIMEOUT),
                new TablePrefix("missing_"),
                null,
                null);
        assertEveryCallSays(broken, table.acquire(freshKey()), "missing_lock", "rowlock.schema.initialize");
    }

    @Test
    void missingRightIsNamed() {
        String user = "rowlock_" + UUID.randomUUID().toString().substring(0, 8);
        createUser(user);
        try {
            table.jdbc().execute("GRANT SELECT ON " + schema.name() + ".* TO " + user);
            LeaseStore broken = LeaseTable.store(table.pool(config -> {
                config.setUsername(user);
                config.setPassword("");
            }));
            assertEveryCallSays(broken, table.acquire(freshKey()), "right", "UPDATE", user);
        } finally {
            table.jdbc().execute("DROP USER " + user);
        }
    }

    private void createUser(String user) {
        try {
            table.jdbc().execute("CREATE USER " + user);
        } catch (UncategorizedSQLException e) {
            assumeFalse(e.getSQLException().getErrorCode() == 1290, "the embedded server checks no rights");
            throw e;
        }
    }

    @Test
    void unreachableServerIsNamed() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = socket.getLocalPort();
        }
        Lease lease = table.acquire(freshKey());
        TestSchema nowhere = new TestSchema("x", "jdbc:mysql://127.0.0.1:" + closed + "/x", "root", "");
        HikariDataSource pool = table.pool(config -> {
            config.setDataSource(nowhere.dataSource());
            config.setConnectionTimeout(300);
            config.setMinimumIdle(0);
        });
        assertEveryCallSays(LeaseTable.store(nowhere.dataSource()), lease, "cannot be reached");
        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> attempt(LeaseTable.store(pool), lease.key()))
                .withMessageContaining("cannot be reached")
                .isNotInstanceOf(UncertainOutcomeException.class);
    }

    @Test
    void exhaustedPoolIsNamed() throws SQLException {
        HikariDataSource pool = table.pool(config -> {
            config.setDataSource(schema.dataSource());
            config.setMaximumPoolSize(1);
        });
        long patient = pool.getConnectionTimeout();
        Lease lease = table.acquire(freshKey());
        try (Connection taken = pool.getConnection()) {
            assertThat(taken.isClosed()).isFalse();
            pool.setConnectionTimeout(250);
            assertEveryCallSays(LeaseTable.store(pool), lease, "rowlock.pool.size");
        }
        pool.setConnectionTimeout(patient);
        assertThat(LeaseTable.store(pool).release(lease)).isTrue();
    }

    @Test
    void killedSessionIsAnErrorAndNeverBusy() throws Exception {
        HikariDataSource pool = patientPool();
        long session = LeaseTable.connectionId(pool);
        Lease expired = table.acquire(freshKey());
        table.expire(expired);
        try (LeaseTable.OpenTransaction other = table.begin()) {
            other.lock(expired.key(), 0, "FOR UPDATE");
            CompletableFuture<Attempt> attempt = async(() -> attempt(LeaseTable.store(pool), expired.key()));
            table.awaitLockWait(session);
            table.jdbc().execute("KILL " + session);
            assertThatThrownBy(() -> attempt.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOf(UncertainOutcomeException.class);
        }
        granted(attempt(LeaseTable.store(pool), expired.key()));
    }

    private HikariDataSource patientPool() {
        return table.pool(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 20");
        });
    }
}
