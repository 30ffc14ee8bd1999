package io.rowlock.store.jdbc.lease;

import static io.rowlock.store.jdbc.lease.LeaseTable.attempt;
import static io.rowlock.store.jdbc.lease.LeaseTable.freshKey;
import static io.rowlock.store.jdbc.lease.LeaseTable.request;
import static io.rowlock.store.jdbc.lease.UniqueKeyTable.acquire;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rowlock.LockMode;
import io.rowlock.LockStoreException;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.Statements;
import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.test.OnEachServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.UncategorizedSQLException;

/** What a unique key costs, that nothing of it stays, and what an outage looks like. */
@OnEachServer(dependsOnServer = true)
class UniqueKeyStatementTests extends UniqueKeyContract {

    @Test
    void uncontendedLockCostsTwoStatements() {
        DataSource one = server.pool(config -> config.setMaximumPoolSize(1));
        UniqueKeyStore single = UniqueKeyTable.store(one);
        String key = freshKey();
        Runnable pair = () -> single.release(acquire(single, key));
        pair.run(); // makes the stripe, which stays for all keys that share it
        assertThat(Statements.of(one, pair)).isEqualTo(2);
    }

    @Test
    void busyKeyCostsTwoStatements() {
        DataSource one = server.pool(config -> config.setMaximumPoolSize(1));
        UniqueKeyStore single = UniqueKeyTable.store(one);
        Lease held = acquire(single, freshKey());
        assertThat(Statements.of(one, () -> attempt(single, held.key()))).isEqualTo(2);
    }

    @Test
    void renewalOfManyCostsOneStatement() {
        DataSource one = server.pool(config -> config.setMaximumPoolSize(1));
        UniqueKeyStore single = UniqueKeyTable.store(one);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            leases.add(acquire(store, freshKey()));
        }
        assertThat(Statements.of(one, () -> single.renew(leases, LeaseTable.TTL)))
                .isEqualTo(1);
    }

    @Test
    void rowIsThereExactlyWhileTheKeyIsHeld() {
        String key = freshKey();
        assertThat(table.rows(key)).isZero();
        Lease lease = acquire(store, key);
        assertThat(table.rows(key)).isOne();
        assertThat(attempt(store, key)).isInstanceOf(Attempt.Busy.class);
        store.release(lease);
        assertThat(table.rows(key)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"useAffectedRows=true", "useAffectedRows=false", "useServerPrepStmts=false"})
    void settingsOfTheDriverChangeNoAnswer(String setting) {
        String[] property = setting.split("=", 2);
        UniqueKeyStore driven =
                UniqueKeyTable.store(server.pool(config -> config.addDataSourceProperty(property[0], property[1])));
        Lease lease = acquire(driven, freshKey());
        assertThat(attempt(driven, lease.key())).isInstanceOf(Attempt.Busy.class);
        assertThat(driven.renew(List.of(lease), LeaseTable.TTL)).containsEntry(lease, Renewal.RENEWED);
        assertThat(driven.renew(List.of(lease), LeaseTable.TTL)).containsEntry(lease, Renewal.RENEWED);
        table.expire(lease);
        Lease successor = acquire(driven, lease.key());
        assertThat(successor.fence()).isGreaterThan(lease.fence());
        assertThat(driven.renew(List.of(lease, successor), LeaseTable.TTL))
                .containsEntry(lease, Renewal.LOST)
                .containsEntry(successor, Renewal.RENEWED);
        assertThat(driven.release(lease)).isFalse();
        assertThat(driven.release(successor)).isTrue();
        assertThat(driven.release(successor)).isFalse();
    }

    /** Every call fails, each with a message that says this. */
    private static void assertEveryCallSays(UniqueKeyStore broken, Lease lease, String... words) {
        List<Consumer<UniqueKeyStore>> calls = List.of(
                store -> attempt(store, freshKey()),
                store -> store.renew(List.of(lease), LeaseTable.TTL),
                store -> store.release(lease, LeaseTable.TTL),
                store -> store.release(lease),
                store -> store.abandon(request(lease.key(), LockMode.EXCLUSIVE, LeaseTable.TTL)));
        for (Consumer<UniqueKeyStore> call : calls) {
            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> call.accept(broken))
                    .withMessageContainingAll(words)
                    .isNotInstanceOf(UncertainOutcomeException.class);
        }
    }

    @Test
    void readOnlySessionIsNamed() {
        UniqueKeyStore broken = UniqueKeyTable.store(
                server.pool(config -> config.setConnectionInitSql("SET SESSION TRANSACTION READ ONLY")));
        assertEveryCallSays(broken, acquire(store, freshKey()), "read-only", "primary");
    }

    @Test
    void missingTableIsNamedAndHowToCreateIt() {
        UniqueKeyStore broken = new UniqueKeyStore(
                new LockDatabase(server.pool(config -> {}), 8, LeaseTable.QUERY_TIMEOUT),
                new TablePrefix("missing_"),
                null);
        assertEveryCallSays(broken, acquire(store, freshKey()), "missing_unique_key", "rowlock.schema.initialize");
    }

    @Test
    void missingRightIsNamed() {
        String user = "rowlock_" + UUID.randomUUID().toString().substring(0, 8);
        createUser(user);
        try {
            server.jdbc().execute("GRANT SELECT ON " + schema.name() + ".* TO " + user);
            UniqueKeyStore broken = UniqueKeyTable.store(server.pool(config -> {
                config.setUsername(user);
                config.setPassword("");
            }));
            assertEveryCallSays(broken, acquire(store, freshKey()), "right", "DELETE", user);
        } finally {
            server.jdbc().execute("DROP USER " + user);
        }
    }

    private void createUser(String user) {
        try {
            server.jdbc().execute("CREATE USER " + user);
        } catch (UncategorizedSQLException e) {
            assumeFalse(e.getSQLException().getErrorCode() == 1290, "the embedded server checks no rights");
            throw e;
        }
    }
}
