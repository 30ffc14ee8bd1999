package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.store.jdbc.lease.LeaseTable;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.TestSchema;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

@OnEachServer
class ServerProofTests {
    private JdbcTemplate jdbc;
    private LeaseTable table;
    private HikariDataSource one;
    private HikariDataSource second;

    @BeforeEach
    void openPools(TestSchema schema) {
        jdbc = new JdbcTemplate(schema.dataSource());
        table = new LeaseTable(schema);
        one = table.pool(config -> config.setMaximumPoolSize(1));
        second = table.pool(config -> config.setMaximumPoolSize(1));
    }

    @AfterEach
    void closePools() {
        table.close();
    }

    @Test
    void serverThatLocksIsFitAndNothingIsLeftBehind() {
        ServerProof proof = proof(one, second);
        assertThat(proof.failures()).isEmpty();
        assertThat(proof.namedLocks()).isTrue();
        assertThat(jdbc.queryForList("SELECT lock_key FROM rowlock_lock WHERE lock_key LIKE 'rowlock:%'"))
                .isEmpty();
        assertThat(namedLocksOf(one) + namedLocksOf(second)).isZero();
        assertThat(proof(one, second).namedLocks()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                " LOCK IN SHARE MODE | | locked by LOCK IN SHARE MODE is locked by another one",
                " LOCK IN SHARE MODE | AND 1 = 0 LOCK IN SHARE MODE | is not found by another session",
                " FOR UPDATE SKIP LOCKED | | is not skipped by FOR UPDATE SKIP LOCKED",
                " FOR UPDATE NOWAIT | | locked by FOR UPDATE is locked by another one",
                " FOR UPDATE | AND 1 = 0 FOR UPDATE | a row that is not locked is not found by FOR UPDATE",
            })
    void clauseThatIsCarriedOutWithoutLockingIsFound(String clause, String instead, String failure) {
        String replacement = instead == null ? "" : " " + instead;
        ServerProof proof = proof(new Rewriting(one, clause, replacement), new Rewriting(second, clause, replacement));
        assertThat(proof.failures()).anySatisfy(sentence -> assertThat(sentence).contains(failure));
    }

    @Test
    void namedLocksThatExcludeNobodyAreFound() {
        ServerProof proof = proof(new Rewriting(one, "GET_LOCK(", "COALESCE(1, "), second);
        assertThat(proof.failures()).isEmpty();
        assertThat(proof.namedLocks()).isFalse();
    }

    @Test
    void namedLocksThatAreRefusedAreFound() {
        assertThat(proof(new Rewriting(one, "GET_LOCK(", "NO_SUCH_FUNCTION("), second)
                        .namedLocks())
                .isFalse();
    }

    @Test
    void tablesOfOtherEnginesAreNamed() {
        LockDatabase database = new LockDatabase(one, 8, Duration.ofSeconds(5));
        assertThat(ServerProof.repairs(database, LeaseTable.PREFIX)).isEmpty();
        jdbc.execute("ALTER TABLE rowlock_row ENGINE = MyISAM");
        try {
            assertThat(ServerProof.repairs(database, LeaseTable.PREFIX))
                    .containsExactly("ALTER TABLE rowlock_row ENGINE = InnoDB");
        } finally {
            jdbc.execute("ALTER TABLE rowlock_row ENGINE = InnoDB");
        }
    }

    /** Of the only session of the pool; it has none afterwards. */
    private static int namedLocksOf(DataSource pool) {
        return new JdbcTemplate(pool).queryForObject("SELECT RELEASE_ALL_LOCKS()", Integer.class);
    }

    private static ServerProof proof(DataSource one, DataSource second) {
        return ServerProof.of(new LockDatabase(one, 8, Duration.ofSeconds(5)), second, LeaseTable.PREFIX);
    }

    /** Sends something else than it was told, as a server would that knows a clause and ignores it. */
    private static final class Rewriting extends DelegatingDataSource {
        private final String part;
        private final String instead;

        Rewriting(DataSource target, String part, String instead) {
            super(target);
            this.part = part;
            this.instead = instead;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection target = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")) {
                            String sql = (String) arguments[0];
                            if (sql.contains(part) && (part.contains("(") || sql.endsWith(part))) {
                                arguments[0] = sql.replace(part, instead);
                            }
                        }
                        try {
                            return method.invoke(target, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
