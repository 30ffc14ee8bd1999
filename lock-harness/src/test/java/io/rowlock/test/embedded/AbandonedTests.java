package io.rowlock.test.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AbandonedTests {

    /** Above the highest process id that Linux gives out. */
    private static final long DEAD = 99_999_999;

    @TempDir
    Path parent;

    @Test
    void directoryOfADeadJvmGoesAndThatOfALivingOneStays() throws Exception {
        Path dead = Files.createDirectories(parent.resolve("home-" + DEAD + "-a/data"));
        Path alive = Files.createDirectories(
                parent.resolve("home-" + ProcessHandle.current().pid() + "-b"));
        Path other = Files.createDirectories(parent.resolve("other-" + DEAD + "-c"));
        Path unnumbered = Files.createDirectories(parent.resolve("home-x"));

        Abandoned.sweep(parent, "home-");

        assertThat(dead.getParent()).doesNotExist();
        assertThat(alive).exists();
        assertThat(other).exists();
        assertThat(unnumbered).exists();
    }

    @Test
    void serverOfADeadJvmIsEndedAndNoOther() throws Exception {
        Path sleep = Path.of("/bin/sleep");
        assumeTrue(Files.isExecutable(sleep), "no /bin/sleep to stand in for a server");
        Path home = Files.createDirectories(parent.resolve("home-" + DEAD + "-a"));
        Process abandoned = sleepFor60Seconds(Files.copy(sleep.toRealPath(), home.resolve("sleep")));
        Process stranger = sleepFor60Seconds(Files.copy(sleep.toRealPath(), parent.resolve("sleep")));
        try {
            Abandoned.sweep(parent, "home-");
            assertThat(abandoned.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            abandoned.destroyForcibly();
            stranger.destroyForcibly();
        }
    }

    private static Process sleepFor60Seconds(Path program) throws Exception {
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return new ProcessBuilder(program.toString(), "60").start();
    }
}
