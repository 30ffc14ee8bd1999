package io.rowlock.verification.fault;

import io.rowlock.verification.fault.Fault.End;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A server that can be killed, and started again with the data it had. */
public abstract class Server implements AutoCloseable {
    private static final long START = Duration.ofMinutes(2).toNanos();
    private static final int MOST_STARTS = 3;

    /** @return its port on this machine */
    public abstract int port();

    abstract long pid() throws IOException;

    abstract void kill() throws IOException;

    /** Starts it on the data it has. */
    abstract void launch() throws IOException;

    final End killed() throws IOException {
        kill();
        return this::restart;
    }

    /** Starts it again, more than once if need be: it refuses as long as the system has not removed the process that was killed. */
    final void restart() throws IOException {
        for (int starts = 1; ; starts++) {
            try {
                launch();
                awaitConnection();
                return;
            } catch (IOException e) {
                if (starts == MOST_STARTS) {
                    throw e;
                }
                Fault.last(TimeUnit.SECONDS.toNanos(starts));
            }
        }
    }

    private void awaitConnection() throws IOException {
        long end = System.nanoTime() + START;
        while (true) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
                return;
            } catch (IOException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Fault.last(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    /** Lets a process stand still until the end. */
    static End paused(long pid) throws IOException {
        signal("STOP", pid);
        return () -> signal("CONT", pid);
    }

    static void signal(String signal, long pid) throws IOException {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public abstract void close() throws IOException;
}
