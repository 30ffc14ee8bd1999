package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The primary of a group is killed under an application: how soon it takes locks again, and whether one is forgotten. */
@Tag("cluster")
@ExtendWith(OutputCaptureExtension.class)
class FailoverTests {
    private static final String SCHEMA = "rowlock_failover";
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @BeforeAll
    static void start() {
        try {
            ReplicationGroup.run("start", "single");
        } catch (IllegalStateException e) {
            abort("There is no group: " + e.getMessage());
        }
    }

    @AfterEach
    void repair() {
        ReplicationGroup.run("rejoin");
        new JdbcTemplate(schema(Integer.toString(ReplicationGroup.primary()), "mysql")
                        .dataSource())
                .execute("DROP DATABASE IF EXISTS " + SCHEMA);
    }

    @AfterAll
    static void stop() {
        ReplicationGroup.router("stop");
        ReplicationGroup.run("stop");
    }

    /** Both drivers' servers, or those behind one port. */
    private static TestSchema schema(String ports, String name) {
        String hosts = java.util.Arrays.stream(ports.split(","))
                .map(port -> "127.0.0.1:" + port)
                .collect(Collectors.joining(","));
        return new TestSchema(
                name, "jdbc:mysql://" + hosts + "/" + name + "?createDatabaseIfNotExist=true", "root", "");
    }

    private static TestSchema schemaOnAllServers() {
        return schema(ReplicationGroup.PORTS.stream().map(String::valueOf).collect(Collectors.joining(",")), SCHEMA);
    }

    @Test
    void urlThatNamesAllServersFindsTheNewPrimary(CapturedOutput output) throws Exception {
        killThePrimaryUnder(schemaOnAllServers(), "URL of all servers", port -> {});
        assertThat(output).contains("a single-primary group: innodb_flush_log_at_trx_commit=");
    }

    @Test
    void addressThatIsMovedLeadsToTheNewPrimary() throws Exception {
        try (MovedAddress address = new MovedAddress(ReplicationGroup.primary())) {
            killThePrimaryUnder(schema(Integer.toString(address.port()), SCHEMA), "moved address", address::moveTo);
        }
    }

    @Test
    void routerLeadsToTheNewPrimary() throws Exception {
        killThePrimaryUnder(schema(startRouter(), SCHEMA), "MySQL Router", next -> {});
    }

    private static String startRouter() {
        try {
            return ReplicationGroup.router("start");
        } catch (IllegalStateException e) {
            return abort("There is no MySQL Router: " + e.getMessage());
        }
    }

    /** A server that loses its role without being killed keeps its connections open. */
    @Test
    void primaryThatStepsDownLosesItsConnections() throws Exception {
        thePrimaryStepsDownUnder(schemaOnAllServers(), "URL of all servers");
    }

    @Test
    void primaryThatStepsDownLosesItsConnectionsThroughRouter() throws Exception {
        thePrimaryStepsDownUnder(schema(startRouter(), SCHEMA), "MySQL Router");
    }

    private void thePrimaryStepsDownUnder(TestSchema schema, String recipe) throws Exception {
        try (ConfigurableApplicationContext context = application(schema).start()) {
            LockClient locks = context.getBean(LockClient.class);
            long token = take(locks);
            int old = ReplicationGroup.primary();
            int next = ReplicationGroup.PORTS.stream()
                    .filter(port -> port != old)
                    .findFirst()
                    .orElseThrow();
            ReplicationGroup.run(
                    "sql",
                    Integer.toString(old),
                    "-e",
                    "SELECT group_replication_set_as_primary(MEMBER_ID) FROM performance_schema.replication_group_members WHERE MEMBER_PORT = "
                            + next);
            long began = System.nanoTime();
            assertThat(awaitLock(locks)).isGreaterThan(token);
            Duration after = since(began);
            System.out.println("Fail-over, %s, primary steps down: lock taken after %s".formatted(recipe, after));
            assertThat(after).isLessThan(LIMIT);
        }
    }

    private void killThePrimaryUnder(TestSchema schema, String recipe, java.util.function.IntConsumer move)
            throws Exception {
        try (ConfigurableApplicationContext context = application(schema).start()) {
            LockClient locks = context.getBean(LockClient.class);
            long token = take(locks);
            try (HeldLock held = locks.acquire(LockRequest.exclusive("held").withTtl(Duration.ofMinutes(2)))) {
                long began = System.nanoTime();
                String[] election = ReplicationGroup.run("kill-primary").split(" ", -1);
                long elected = System.nanoTime();
                move.accept(Integer.parseInt(election[1]));
                assertThat(awaitLock(locks)).isGreaterThan(token);
                Duration after = since(elected);
                System.out.println("Fail-over, %s: new primary after %s ms, lock taken %s later, %s after the kill"
                        .formatted(recipe, election[2], after, since(began)));
                assertThat(after).isLessThan(LIMIT);
                assertThat(held.isHeld()).isTrue();
                assertThat(otherNodeGets(schema, "held")).isFalse();
                held.ensureHeld(Duration.ofSeconds(1));
            }
        }
    }

    /** The grant was acknowledged by the server that is gone. */
    private static boolean otherNodeGets(TestSchema schema, String key) {
        try (ConfigurableApplicationContext other = application(schema).start()) {
            Optional<HeldLock> lock = other.getBean(LockClient.class).tryAcquire(LockRequest.exclusive(key));
            lock.ifPresent(HeldLock::close);
            return lock.isPresent();
        }
    }

    private static TestApplication application(TestSchema schema) {
        return TestApplication.withoutDatabase()
                .with("spring.datasource.url", schema.jdbcUrl())
                .with("spring.datasource.username", schema.username())
                .with("spring.datasource.password", schema.password())
                // The machine runs three servers
                .with("rowlock.pool.connection-timeout", "5s")
                .with("logging.level.io.rowlock", "INFO");
    }

    private static long take(LockClient locks) {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("taken-again"))) {
            return lock.fencingToken();
        }
    }

    private static long awaitLock(LockClient locks) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (true) {
            try {
                return take(locks);
            } catch (LockStoreException | LockNotAcquiredException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.sleep(50); // between two attempts of a program that goes on until the fail-over is over
            }
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofMillis((System.nanoTime() - nanos) / 1_000_000);
    }
}
