package io.rowlock.sample.stage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import io.rowlock.test.OnServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Requests that reach the page from where they should not. No node is started. */
@OnServer
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"sample.nodes=0", "sample.pages=3"})
class AccessTests {

    @LocalServerPort
    int port;

    private final List<Socket> open = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
    }

    /** On Linux, all of 127/8 is this machine; a server that listens everywhere would answer there. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void listensOnLoopbackOnly() throws IOException {
        List<InetAddress> others = new ArrayList<>(List.of(InetAddress.getByName("127.0.0.2")));
        for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            Collections.list(one.getInetAddresses()).stream()
                    .filter(address -> !address.isLoopbackAddress())
                    .forEach(others::add);
        }
        assertThat(others)
                .allSatisfy(address -> assertThatIOException().isThrownBy(() -> {
                    try (Socket socket = new Socket()) {
                        socket.connect(new InetSocketAddress(address, port), 5000);
                    }
                }));
        assertThat(status("GET", "/nodes", "localhost:" + port, null)).contains(" 200");
    }

    @ParameterizedTest
    @CsvSource({
        "POST, localhost:PORT,    http://localhost:PORT,    400", // there is no such node
        "POST, 127.0.0.1:PORT,    http://127.0.0.1:PORT,    400",
        "POST, localhost:PORT,    ,                         400", // not from a browser
        "POST, localhost:PORT,    http://evil.example,      403",
        "POST, localhost:PORT,    http://localhost:1,       403", // another application of this machine
        "POST, localhost:PORT,    null,                     403",
        "POST, evil.example:PORT, http://evil.example:PORT, 403", // a name that was pointed to this machine
        "GET,  localhost:PORT,    http://evil.example,      405", // changes nothing
    })
    void otherSitesChangeNothing(String method, String host, String origin, String status) throws IOException {
        String own = origin == null ? null : origin.replace("PORT", "" + port);
        assertThat(status(method, "/nodes/node-1/kill", host.replace("PORT", "" + port), own))
                .contains(" " + status);
    }

    @Test
    void pagesThatAreOpenAreLimitedInNumber() throws IOException {
        for (int page = 0; page < 3; page++) {
            assertThat(status("GET", "/events", "localhost", null)).contains(" 200");
        }
        assertThat(status("GET", "/events", "localhost", null)).contains(" 503");
        open.get(0).close();
        await().atMost(ofSeconds(30))
                .until(() -> status("GET", "/events", "localhost", null).contains(" 200"));
    }

    /** Returns the first line of the answer, and leaves the connection open. */
    private String status(String method, String path, String host, String origin) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(socket);
        socket.setSoTimeout(30_000);
        String request = "%s %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: 0\r\n\r\n"
                .formatted(method, path, host, origin == null ? "" : "Origin: %s\r\n".formatted(origin));
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine();
    }
}
