package io.rowlock.verification.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A server that can be killed, and started again with the data it had. */
public abstract class Server implements AutoCloseable {
    private static final long START = Duration.ofMinutes(2).toNanos();

    /** @return its port on this machine */
    public abstract int port();

    abstract long pid() throws IOException;

    /** Starts it on the data it has. */
    abstract void launch() throws IOException;

    final void pause() throws IOException {
        Signals.send("STOP", pid());
    }

    final void resume() throws IOException {
        Signals.send("CONT", pid());
    }

    final void kill() throws IOException {
        Signals.send("KILL", pid());
    }

    final void restart() throws IOException {
        launch();
        awaitConnection();
    }

    final void awaitConnection() throws IOException {
        long end = System.nanoTime() + START;
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
                return;
            } catch (IOException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }

    @Override
    public abstract void close() throws IOException;
}
