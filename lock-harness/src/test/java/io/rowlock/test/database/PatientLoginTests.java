package io.rowlock.test.database;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.EOFException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Logins on a server that says nothing for longer than a pool of the same JVM waits, and then closes the connection. */
class PatientLoginTests {
    private static final int SILENCE_MILLIS = 1_500;

    private int usual;

    @BeforeEach
    void startAnImpatientPool() {
        usual = DriverManager.getLoginTimeout();
        DriverManager.setLoginTimeout(1);
    }

    @AfterEach
    void restore() {
        DriverManager.setLoginTimeout(usual);
    }

    @Test
    void sessionOfASchemaWaitsForTheServer() throws Exception {
        assertWaits(port -> new TestSchema("x", "jdbc:mysql://127.0.0.1:" + port + "/x", "root", "")
                .dataSource()
                .getConnection());
    }

    @Test
    void sessionWithoutASchemaWaitsForTheServer() throws Exception {
        assertWaits(port -> ServerAddress.onLoopback(port).connect());
    }

    private interface Login {
        AutoCloseable at(int port) throws SQLException;
    }

    private static void assertWaits(Login login) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread silent = new Thread(() -> closeAfterSilence(server));
            silent.setDaemon(true);
            silent.start();
            Executable session = () -> login.at(server.getLocalPort()).close();
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(session::execute)
                    .withRootCauseInstanceOf(EOFException.class);
        }
    }

    private static void closeAfterSilence(ServerSocket server) {
        try (var client = server.accept()) {
            Thread.sleep(SILENCE_MILLIS);
        } catch (Exception e) {
            // the test has ended
        }
    }
}
