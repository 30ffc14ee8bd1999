package io.rowlock.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Isolated("reads all that the JVM prints")
@ExtendWith(OutputCaptureExtension.class)
class ServerSearchTests {

    @Test
    void withoutAServerOneLineSaysWhyAndHowToProvideOne(CapturedOutput output) {
        AtomicInteger asked = new AtomicInteger();
        ServerSearch search = new ServerSearch(List.of(named(Map.of()), flavor -> {
            asked.incrementAndGet();
            throw new ServerSource.Unavailable("Docker is not available");
        }));

        assertThat(search.find(ServerFlavor.MYSQL).server()).isEmpty();
        assertThat(search.find(ServerFlavor.MYSQL).server()).isEmpty();

        assertThat(asked).hasValue(1);
        assertThat(output.getAll().lines())
                .singleElement()
                .asString()
                .contains("No MySQL for tests: ROWLOCK_TEST_MYSQL_URL is not set; Docker is not available.")
                .contains("Set ROWLOCK_TEST_MYSQL_URL=jdbc:mysql://")
                .contains("skipped");
    }

    @Test
    void eachFlavorIsLookedForOnItsOwn() {
        ServerSearch search = new ServerSearch(List.of(flavor -> {
            throw new ServerSource.Unavailable("no " + flavor);
        }));
        assertThat(search.find(ServerFlavor.MYSQL).explanation()).contains("no MYSQL");
        assertThat(search.find(ServerFlavor.MARIADB).explanation()).contains("no MARIADB", "ROWLOCK_TEST_MARIADB_URL");
    }

    @Test
    void namedServerThatDoesNotAnswerIsAnError() throws IOException {
        String hosts = "127.0.0.1:" + closedPort();
        NamedServer named =
                named(Map.of("rowlock.test.mysql.url", "jdbc:mysql://" + hosts + "/?user=root&password=pw"));
        assertThatIllegalStateException()
                .isThrownBy(() -> new ServerSearch(List.of(named)).find(ServerFlavor.MYSQL))
                .withMessageContainingAll("rowlock.test.mysql.url", "does not answer", hosts)
                .withMessageNotContaining("pw");
    }

    @Test
    void withoutDockerTheProbeIsSilent(CapturedOutput output) {
        try {
            new DockerServer().open(ServerFlavor.MYSQL);
        } catch (ServerSource.Unavailable e) {
            assertThat(output.getAll()).isEmpty();
        }
    }

    @Test
    void embeddedServerNeverStandsInForMySql() {
        assertThat(new ServerSearch(List.of(new EmbeddedServer()))
                        .find(ServerFlavor.MYSQL)
                        .explanation())
                .contains("an embedded MySQL does not exist");
    }

    private static NamedServer named(Map<String, String> properties) {
        return new NamedServer(properties::get, name -> null);
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
