package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.client.RowlockClient;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.test.DatabaseServer;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** What is said of the server when an application starts. On MariaDB, which this JVM has for itself. */
@OnServer(ServerFlavor.MARIADB)
@ExtendWith(OutputCaptureExtension.class)
class StartUpLineTests {
    private static FreshSchema schema;

    @BeforeAll
    static void createSchema(DatabaseServer server) {
        schema = FreshSchema.on(server);
    }

    @AfterAll
    static void dropSchema() {
        if (schema != null) {
            schema.close();
        }
    }

    @AfterEach
    void restore() {
        schema.jdbc().execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1");
        schema.jdbc().execute("SET GLOBAL gtid_slave_pos = ''");
    }

    @Test
    void oneLineSaysWhatKeepsTheLocks(CapturedOutput output) {
        start();
        assertThat(output.getOut().lines().filter(line -> line.contains("Rowlock keeps locks")))
                .singleElement()
                .asString()
                .contains(" INFO ")
                .contains("by strategy lease in MariaDB 11.4")
                .contains("isolation READ-COMMITTED", "time zone +00:00")
                .contains("innodb_flush_log_at_trx_commit=1", "fencing on", "owner application@");
        assertThat(output).doesNotContain("two can hold one", "clocks");
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

    @Test
    void clocksThatDifferAreWarnedOf(CapturedOutput output) {
        try (ConfigurableApplicationContext context = application().start()) {
            LockDatabase database = new LockDatabase(schema.schema().dataSource(), Duration.ofSeconds(3), false);
            new StartUpCheck(
                            context.getBean(RowlockClient.class).oversight(),
                            database,
                            context.getBean(RowlockProperties.class),
                            () -> Instant.now().minusSeconds(7200))
                    .afterSingletonsInstantiated();
        }
        assertThat(output.getOut().lines().filter(line -> line.contains(" WARN ")))
                .anyMatch(line ->
                        line.matches(".*clocks of the database server and of this machine differ by PT(2H|1H59M).*"));
    }

    @Test
    void fencingThatIsSwitchedOffIsSaid(CapturedOutput output) {
        application().with("rowlock.fencing.transactional", "false").start().close();
        assertThat(output).contains("fencing off");
    }

    private static void start() {
        application().start().close();
    }

    private static TestApplication application() {
        return new TestApplication(schema).withoutWeb().with("logging.level.io.rowlock", "INFO");
    }
}
