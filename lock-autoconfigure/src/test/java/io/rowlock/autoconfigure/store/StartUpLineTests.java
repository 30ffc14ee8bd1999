package io.rowlock.autoconfigure.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.autoconfigure.transaction.RowlockTransactionAutoConfiguration;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.ServerFlavor;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What is said of the server when an application starts. On MariaDB, which this JVM has for itself. */
@OnServer(ServerFlavor.MARIADB)
@ExtendWith(OutputCaptureExtension.class)
class StartUpLineTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    @AfterEach
    void restore() {
        schema.jdbc().execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        schema.jdbc().execute("SET GLOBAL gtid_slave_pos = ''");
    }

    @Test
    void oneLineSaysWhatKeepsTheLocks(CapturedOutput output) {
        String version = schema.jdbc().queryForObject("SELECT VERSION()", String.class);
        start();
        assertThat(output.getOut().lines().filter(line -> line.contains("Rowlock keeps locks")))
                .singleElement()
                .asString()
                .contains(" INFO ")
                .contains("by strategy lease in MariaDB " + version, "one server: ")
                .contains("innodb_flush_log_at_trx_commit=1", "fencing on", "owner application@");
        assertThat(output).doesNotContain("two can hold one");
    }

    @Test
    void settingsThatWeakenLocksAreWarnedOf(CapturedOutput output) {
        schema.jdbc().execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0");
        schema.jdbc().execute("SET GLOBAL gtid_slave_pos = '0-7-1'");
        start();
        assertThat(output.getOut().lines().filter(line -> line.contains(" WARN ")))
                .anyMatch(line -> line.contains("innodb_flush_log_at_trx_commit is 0"))
                .anyMatch(line -> line.contains("copies another one"));
    }

    @ParameterizedTest
    @CsvSource({"false, off", "no, off", "0, off", "1, on", "on, on", "'true ', on"})
    void lineSaysWhichFencesThereAre(String value, String said, CapturedOutput output) {
        try (ConfigurableApplicationContext context =
                application().with("rowlock.fencing.transactional", value).start()) {
            assertThat(context.containsBean("rowlockTransactionFences")).isEqualTo(said.equals("on"));
        }
        assertThat(output).contains("fencing " + said);
    }

    @Test
    void lineSaysOffWhereTheFencesAreExcluded(CapturedOutput output) {
        application().without(RowlockTransactionAutoConfiguration.class).start().close();
        assertThat(output).contains("fencing off").doesNotContain("fencing on");
    }

    @Test
    void clusterWhoseServersAllTakeWritesIsRefusedUnlessOneIsSaidToDo(CapturedOutput output) {
        String group =
                "SELECT 'group_replication_group_name', 'a' UNION SELECT 'group_replication_single_primary_mode', ";
        String galera = "SELECT 'wsrep_on', 'ON' UNION SELECT 'wsrep_provider', 'libgalera.so'";
        try (ConfigurableApplicationContext node = application().start()) {
            assertRefused(node, server(group + "'OFF'"), "a multi-primary group");
            check(node, server(group + "'ON'"), false);
            check(node, server(group + "'OFF'"), true);
            assertRefused(node, server(galera), "a Galera cluster");
            check(node, server(galera), true);
        }
        assertThat(output)
                .contains(
                        "a single-primary group: innodb_flush_log_at_trx_commit=",
                        "a Galera cluster: innodb_flush_log_at_trx_commit=");
    }

    private static void assertRefused(ConfigurableApplicationContext node, DataSource server, String cluster) {
        assertThatExceptionOfType(RowlockSetupException.class)
                .isThrownBy(() -> check(node, server, false))
                .withMessageContaining("in " + cluster + " whose servers all accept writes")
                .extracting("action")
                .asString()
                .contains("rowlock.cluster.writers=one");
    }

    private static void check(ConfigurableApplicationContext node, DataSource server, boolean oneWriter) {
        new StartUpCheck(
                        node.getBean(RowlockClient.class).admin(),
                        new LockDatabase(server, 8, Duration.ofSeconds(3)),
                        true,
                        properties(oneWriter),
                        List::of)
                .afterSingletonsInstantiated();
    }

    /** A server that says to be part of a cluster. */
    private static DataSource server(String settings) {
        return new DelegatingDataSource(schema.schema().dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (method.getName().equals("prepareStatement")) {
                                String sql = (String) arguments[0];
                                arguments[0] = sql.startsWith("SHOW SESSION VARIABLES") ? settings : sql;
                            }
                            return method.invoke(connection, arguments);
                        });
            }
        };
    }

    @Test
    void serverThatTakesNoWritesIsRefusedAndTheNextOneTaken(CapturedOutput output) {
        String url = schema.schema().jdbcUrl();
        String host = url.replaceFirst("jdbc:mysql://([^/]+)/.*", "$1");
        String several = url.replace(host, "127.0.0.1:1," + host);
        application().with("spring.datasource.url", several).start().close();
        assertThat(output)
                .contains("one server: innodb_flush_log_at_trx_commit=")
                .doesNotContain("ahead of that of");
        schema.jdbc().execute("SET GLOBAL read_only = 1");
        try {
            TestApplication application = application().with("spring.datasource.url", several);
            assertThatException().isThrownBy(application::start);
            assertThat(output).contains("APPLICATION FAILED TO START", "because the server is read-only");
        } finally {
            schema.jdbc().execute("SET GLOBAL read_only = 0");
        }
    }

    /** As a replica that the user of the application may write to: locks that are acquired there do not exclude those of the primary. */
    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock"})
    void serverThatIsReadOnlyForOthersIsRefused(String strategy, CapturedOutput output) {
        TestApplication application = application().with("rowlock.strategy", strategy);
        try (ConfigurableApplicationContext node = application.start()) {
            StoreInspection usual =
                    node.getBean(RowlockClient.class).admin().usual().orElseThrow();
            usual.requireUsable();
            schema.jdbc().execute("SET GLOBAL read_only = 1");
            assertThatExceptionOfType(LockStoreException.class).isThrownBy(usual::requireUsable);
            assertThatException().isThrownBy(application::start);
            assertThat(output).contains("APPLICATION FAILED TO START", "the server is read-only");
        } finally {
            schema.jdbc().execute("SET GLOBAL read_only = 0");
        }
    }

    /** A replica that has tables of its own stops to copy when they come from the primary. */
    @Test
    void noTableIsCreatedOnAServerThatIsReadOnlyForOthers(CapturedOutput output) {
        schema.jdbc().execute("SET GLOBAL read_only = 1");
        try {
            TestApplication application = application().with("rowlock.schema.table-prefix", "late_");
            assertThatException().isThrownBy(application::start);
            assertThat(output).contains("cannot be created, because the server is read-only");
            assertThat(schema.jdbc().queryForList("SHOW TABLES LIKE 'late%'")).isEmpty();
        } finally {
            schema.jdbc().execute("SET GLOBAL read_only = 0");
        }
    }

    @Test
    void tableThatLocksNoRowsIsRefusedWithItsRepair(CapturedOutput output) {
        start();
        schema.jdbc().execute("ALTER TABLE rowlock_lock ENGINE = Aria");
        try {
            TestApplication application = application();
            assertThatException().isThrownBy(application::start);
            assertThat(output)
                    .contains("APPLICATION FAILED TO START", "an engine that locks no rows")
                    .contains("ALTER TABLE rowlock_lock ENGINE = InnoDB");
            application
                    .with("rowlock.schema.initialize", "never")
                    .with("rowlock.cleanup.interval", "1h")
                    .start()
                    .close();
        } finally {
            schema.jdbc().execute("ALTER TABLE rowlock_lock ENGINE = InnoDB");
        }
    }

    @Test
    void onePooledConnectionSufficesToProveTheServer(CapturedOutput output) {
        application().with("rowlock.pool.size", "1").start().close();
        assertThat(output).contains("Rowlock keeps locks by strategy").doesNotContain("not proven");
    }

    @Test
    void serverThatLocksNothingIsRefused(CapturedOutput output) {
        try (ConfigurableApplicationContext context = application().start()) {
            StartUpCheck check = check(context, () -> List.of("the row is not locked", "the other is not skipped"));
            assertThatExceptionOfType(RowlockSetupException.class)
                    .isThrownBy(check::afterSingletonsInstantiated)
                    .withMessageContaining("the row is not locked; the other is not skipped");
        }
    }

    @Test
    void serverThatCannotProveItIsWarnedOf(CapturedOutput output) {
        try (ConfigurableApplicationContext context = application().start()) {
            check(context, () -> {
                        throw new LockStoreException("no second session", null);
                    })
                    .afterSingletonsInstantiated();
        }
        assertThat(output).contains("What the server does with row locks is not proven: no second session");
    }

    private static StartUpCheck check(ConfigurableApplicationContext context, Supplier<List<String>> failures) {
        return new StartUpCheck(
                context.getBean(RowlockClient.class).admin(),
                new LockDatabase(schema.schema().dataSource(), 8, Duration.ofSeconds(3)),
                true,
                properties(false),
                failures);
    }

    private static RowlockProperties properties(boolean oneWriter) {
        Map<String, String> set = oneWriter ? Map.of("rowlock.cluster.writers", "one") : Map.of();
        return new Binder(new MapConfigurationPropertySource(set)).bindOrCreate("rowlock", RowlockProperties.class);
    }

    private static void start() {
        application().start().close();
    }

    private static TestApplication application() {
        return new TestApplication(schema).with("logging.level.io.rowlock", "INFO");
    }
}
