package io.rowlock.servers;

import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The address of a server that has died, which refuses connections. Its port is kept, because another test could start a server there:
 * Sentinel would take that one for the dead master, make it a replica and end its connections.
 */
public final class DeadAddress implements AutoCloseable {
    private static final int MOST_TRIES = 1_000;
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    private final Socket holder;

    private DeadAddress(Socket holder) {
        this.holder = holder;
    }

    /** Stops a server. */
    public static DeadAddress of(RedisServer server) {
        server.stop();
        for (int tries = 1; ; tries++) {
            try {
                return new DeadAddress(bound(server.port()));
            } catch (BindException e) {
                if (tries == MOST_TRIES) {
                    throw new UncheckedIOException(e);
                }
                LockSupport.parkNanos(PAUSE); // its process has not ended yet
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Socket bound(int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(true); // connections of the dead server may not be over yet
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        holder.close();
    }
}
