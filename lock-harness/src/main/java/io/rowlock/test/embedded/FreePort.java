package io.rowlock.test.embedded;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds a port on loopback for a server that is started next. */
public final class FreePort {

    private static final int FIRST = 10_000;

    /**
     * The last one below those that systems give to outgoing connections. One of those may be taken between this look and the start of
     * the server, as a run has hundreds of connections to proxies at a time.
     */
    private static final int LAST = 32_767;

    private static final int MOST_TRIES = 100;

    private FreePort() {}

    public static int find() throws IOException {
        for (int tries = 1; ; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }
}
