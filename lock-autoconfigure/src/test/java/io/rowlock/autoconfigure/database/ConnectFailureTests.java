package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.Stopwatch;
import io.rowlock.test.database.ServerFlavor;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What a developer reads when the database cannot be reached. MySQL only: rights are not checked by the embedded MariaDB. */
@OnServer(ServerFlavor.MYSQL)
@ExtendWith(OutputCaptureExtension.class)
class ConnectFailureTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    /** The longest wait, unless a test says so: much longer than a busy machine takes to start an application. */
    private static final Duration LONG = Duration.ofMinutes(4);

    private static TestApplication application() {
        return new TestApplication(schema)
                .with("rowlock.startup.timeout", LONG)
                .with("spring.datasource.hikari.connection-timeout", LONG.toMillis());
    }

    /** With the shortest wait for a connection that does not come; the start tries again until its own time is over. */
    private static TestApplication unreachable() {
        return application().with("rowlock.pool.connection-timeout", "250ms");
    }

    private static void failsToStart(TestApplication application, CapturedOutput output, String... parts) {
        int before = output.getAll().length();
        Stopwatch time = Stopwatch.start();
        assertThatException().isThrownBy(application::start);
        assertThat(time.taken()).isLessThan(LONG.dividedBy(2));
        assertThat(output.getAll().substring(before))
                .contains("APPLICATION FAILED TO START", "Description:", "Action:")
                .contains(parts)
                .doesNotContain("not as they should be");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void missingSchemaIsToBeCreated(String driver, CapturedOutput output) {
        String url = schema.schema().jdbcUrl();
        failsToStart(
                unreachable()
                        .with(
                                "spring.datasource.url",
                                url.replace(schema.schema().name(), "no_such_schema")
                                        .replace("jdbc:mysql:", "jdbc:" + driver + ":")),
                output,
                "does not exist",
                "Unknown database 'no_such_schema'",
                "Create it (CREATE DATABASE)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void unknownHostIsNamed(String driver, CapturedOutput output) {
        failsToStart(
                unreachable().with("spring.datasource.url", "jdbc:" + driver + "://no-such-host.invalid:3306/test"),
                output,
                "is unknown",
                "no-such-host.invalid",
                "Correct the host in the URL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql", "mariadb"})
    void refusedConnectionIsToldAtOnce(String driver, CapturedOutput output) {
        failsToStart(
                unreachable().with("spring.datasource.url", "jdbc:" + driver + "://127.0.0.1:1/test"),
                output,
                "accepts no connection",
                "Start the database, or correct host and port");
    }

    @Test
    void wrongPasswordIsTold(CapturedOutput output) {
        String user = schema.userWithoutDdlRights();
        failsToStart(
                unreachable().withUser(user).with("spring.datasource.password", "wrong"),
                output,
                "refuses the user",
                "Access denied for user '" + user,
                "Correct the user and the password");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mysql://", "mariadb://", "mysql://localhost:1,"})
    void silentServerIsGivenUpAfterTheStartUpTimeOut(String url, CapturedOutput output) throws IOException {
        try (ServerSocket silent = new ServerSocket(0)) {
            failsToStart(
                    application()
                            .with("rowlock.startup.timeout", "2s")
                            .with(
                                    "spring.datasource.url",
                                    "jdbc:" + url + "127.0.0.1:" + silent.getLocalPort() + "/test"),
                    output,
                    "could not be reached within 2s (rowlock.startup.timeout)",
                    "raise rowlock.startup.timeout");
        }
    }

    @Test
    void embeddedDatabaseLeadsToTheTestKit(CapturedOutput output) {
        failsToStart(
                application()
                        .with("spring.datasource.url", "jdbc:h2:mem:test")
                        .with("spring.datasource.driver-class-name", "com.mysql.cj.jdbc.Driver"),
                output,
                "the database is jdbc:h2.",
                "@RowlockTest",
                "spring.autoconfigure.exclude=" + RowlockDataSourceAutoConfiguration.class.getName());
    }

    @Test
    void rightsOnTheTablesAreToBeGranted(CapturedOutput output) {
        application().start().close();
        String user = schema.userWith("SELECT");
        failsToStart(
                application().withUser(user).with("rowlock.schema.initialize", "validate"),
                output,
                "Locks cannot be acquired",
                "command denied",
                "needs SELECT, INSERT, UPDATE and DELETE on the lock tables",
                "docs/operations.md#database-rights");
    }

    @Test
    void busyPortIsToldAsTheWebServersOwn(CapturedOutput output) throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            failsToStart(
                    new TestApplication(schema).withWeb().with("server.port", taken.getLocalPort()),
                    output,
                    "Port " + taken.getLocalPort() + " was already in use");
        }
    }
}
