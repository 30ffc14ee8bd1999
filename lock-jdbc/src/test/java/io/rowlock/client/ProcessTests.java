package io.rowlock.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.test.OnEachServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.LocalDateTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Other processes that die or stand still. */
@Order(19)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "processes are stopped and killed by POSIX signals")
@OnEachServer
class ProcessTests extends ClientContract {
    private Process child;
    private BufferedReader output;

    @BeforeEach
    void startChild() throws IOException {
        child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherProcess.class.getName(),
                        schema.name(),
                        schema.jdbcUrl(),
                        schema.username(),
                        schema.password())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        output = new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8));
    }

    @AfterEach
    void endChild() {
        child.destroyForcibly();
    }

    private String answer() throws IOException {
        String line = output.readLine();
        while (line != null && !line.startsWith("> ")) {
            line = output.readLine();
        }
        return String.valueOf(line);
    }

    private void tell(String command) throws IOException {
        child.getOutputStream().write((command + "\n").getBytes(UTF_8));
        child.getOutputStream().flush();
    }

    private void signal(String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(child.pid()))
                .inheritIO()
                .start();
        assertThat(kill.waitFor()).isZero();
    }

    private LocalDateTime time(String column) {
        return table.sql.queryForObject(
                "SELECT " + column + " FROM rowlock_lock WHERE lock_key = ?", LocalDateTime.class, (Object)
                        LockTable.bytes("a"));
    }

    private HeldLock takeWhenFree() {
        return rival.client.acquire(LockRequest.exclusive("a").withWaitTime(ofSeconds(30)));
    }

    @Test
    void killedProcessKeepsItsLockForItsTtlAndNotLonger() throws Exception {
        assertThat(answer()).isEqualTo("> holds");
        signal("KILL");
        assertThat(child.waitFor()).isNotZero();
        assertThat(rival.canTake("a")).isFalse();
        LocalDateTime end = time("expires_at");
        try (HeldLock lock = takeWhenFree()) {
            assertThat(time("acquired_at")).isAfterOrEqualTo(end);
        }
    }

    @Test
    void stoppedProcessCannotCommitAfterItsLockWasTakenOver() throws Exception {
        assertThat(answer()).isEqualTo("> holds");
        signal("STOP");
        try (HeldLock lock = takeWhenFree()) {
            assertThat(lock.isHeld()).isTrue();
            signal("CONT");
            tell("commit");
            assertThat(answer()).isEqualTo("> LockLostException");
            assertThat(table.balance()).isZero();
        }
    }

    @Test
    void processThatStoodStillForLessThanItsTtlCommits() throws Exception {
        assertThat(answer()).isEqualTo("> holds");
        signal("STOP");
        await().during(java.time.Duration.ofMillis(200)).until(() -> !table.isFree("a"));
        signal("CONT");
        tell("commit");
        assertThat(answer()).isEqualTo("> committed");
        assertThat(table.balance()).isEqualTo(1);
    }
}
