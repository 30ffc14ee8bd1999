package io.rowlock.sample.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.SampleProcess;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Starts that fail. They end with a status of 1, and leave no node. */
@OnServer
class StartTests {

    @Test
    void portInUseIsExplained(TestSchema schema) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String report = report(Map.of(
                    "SPRING_DATASOURCE_URL", schema.jdbcUrl(),
                    "SPRING_DATASOURCE_USERNAME", schema.username(),
                    "SPRING_DATASOURCE_PASSWORD", schema.password(),
                    "SERVER_PORT", "" + taken.getLocalPort()));
            assertThat(report).contains("Port %d was already in use.".formatted(taken.getLocalPort()));
        }
    }

    @Test
    void databaseThatDoesNotAnswerEndsTheStart() throws Exception {
        assertThat(report(Map.of("SPRING_DATASOURCE_URL", "jdbc:mysql://127.0.0.1:1/none", "SERVER_PORT", "0")))
                .contains("Connection refused");
    }

    @Test
    void passwordInTheUrlOfAnotherDriverIsNotRepeated() throws Exception {
        assertThat(report(Map.of("SPRING_DATASOURCE_URL", "jdbc:mariadb://u:secret@127.0.0.1/x", "SERVER_PORT", "0")))
                .contains("org.mariadb.jdbc.Driver")
                .doesNotContain("secret");
    }

    private static String report(Map<String, String> environment) throws Exception {
        try (SampleProcess sample = SampleProcess.start(environment)) {
            String output = sample.outputToItsEnd();
            assertThat(sample.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(sample.process().exitValue()).isEqualTo(1);
            assertThat(output).doesNotContain("unpacking", "the nodes are starting");
            return output;
        }
    }
}
