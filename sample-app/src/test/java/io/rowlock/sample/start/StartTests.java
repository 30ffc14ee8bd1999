package io.rowlock.sample.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What somebody reads whose sample does not come up. It ends with a status of 1, before it unpacks anything. */
class StartTests {

    @Test
    void portInUseIsSaidInOneLineWithAWayOut() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();
            assertThat(output(Map.of("SERVER_PORT", "" + port)))
                    .contains("Port %d is in use.".formatted(port))
                    .contains("let SERVER_PORT name another one")
                    .doesNotContain("unpacking", "Exception");
        }
    }

    @Test
    void databaseThatDoesNotAnswerIsSaidInOneLineWithAWayOut() throws Exception {
        assertThat(output(Map.of("SPRING_DATASOURCE_URL", "jdbc:mysql://127.0.0.1:1/none", "SERVER_PORT", "0")))
                .contains("The sample has no database: the one that SPRING_DATASOURCE_URL names does not answer")
                .contains("or do not set it: then one is started")
                .doesNotContain("unpacking", "Exception");
    }

    @Test
    void otherDatabaseIsSaidInOneLineWithAWayOut() throws Exception {
        assertThat(output(Map.of("SPRING_DATASOURCE_URL", "jdbc:oracle://127.0.0.1/none", "SERVER_PORT", "0")))
                .contains("The sample has no database", "No suitable driver")
                .contains("Let SPRING_DATASOURCE_URL name a MySQL or MariaDB that runs");
    }

    private static String output(Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "io.rowlock.sample.SampleApplication")
                .redirectErrorStream(true);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(1);
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
