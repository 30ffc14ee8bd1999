package io.rowlock.sample.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.SampleProcess;
import java.net.ServerSocket;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What somebody reads whose sample does not come up. It ends with a status of 1, before it unpacks anything. */
class StartTests {
    private static final String NAME_ANOTHER =
            "Let SPRING_DATASOURCE_URL name a MySQL or MariaDB that runs, such as 'jdbc:mysql://127.0.0.1:3306/sample?"
                    + "user=root&password=secret&createDatabaseIfNotExist=true', or do not set it: then a MariaDB is started.";

    private static final Pattern REPORT = Pattern.compile("Description:\\R\\R(.*)\\R\\RAction:\\R\\R(.*)\\R*$");

    @Test
    void portInUseIsSaidInOneLineWithAWayOut() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            int port = taken.getLocalPort();
            assertThat(report(Map.of("SERVER_PORT", "" + port)))
                    .containsExactly(
                            "Port %d is in use.".formatted(port),
                            "Let SERVER_PORT name another one: SERVER_PORT=%d ./mvnw -DskipTests -pl sample-app -am spring-boot:run"
                                    .formatted(port == 65_535 ? 8081 : port + 1));
        }
    }

    @Test
    void databaseThatDoesNotAnswerIsSaidInOneLineWithAWayOut() throws Exception {
        assertThat(report(Map.of("SPRING_DATASOURCE_URL", "jdbc:mysql://127.0.0.1:1/none", "SERVER_PORT", "0")))
                .containsExactly(
                        "The sample has no database: the one that SPRING_DATASOURCE_URL names does not answer: "
                                + "Communications link failure.",
                        NAME_ANOTHER);
    }

    @Test
    void otherDatabaseIsSaidInOneLineWithAWayOut() throws Exception {
        assertThat(report(Map.of("SPRING_DATASOURCE_URL", "jdbc:mariadb://u:secret@127.0.0.1/x", "SERVER_PORT", "0")))
                .containsExactly(
                        "The sample has no database: SPRING_DATASOURCE_URL must begin with jdbc:mysql:, for MariaDB too.",
                        NAME_ANOTHER);
    }

    /** What happened and what to do, a line each: a pattern's dot matches no end of line. */
    private static String[] report(Map<String, String> environment) throws Exception {
        try (SampleProcess sample = SampleProcess.start(environment)) {
            String output = sample.outputToItsEnd();
            assertThat(sample.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(sample.process().exitValue()).isEqualTo(1);
            assertThat(output).doesNotContain("unpacking", "Exception");
            Matcher report = REPORT.matcher(output);
            assertThat(report.find()).as(output).isTrue();
            return new String[] {report.group(1), report.group(2)};
        }
    }
}
