package io.rowlock.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Stands between a client and its server. What the client sends always arrives, late if it must; the answers may be swallowed. */
final class SwallowingProxy implements AutoCloseable {
    private final ServerSocket listening;
    private final int serverPort;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final AtomicLong swallowed = new AtomicLong();
    private volatile boolean swallowing;
    private volatile Duration delay = Duration.ZERO;

    SwallowingProxy(int serverPort) throws IOException {
        this.serverPort = serverPort;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    private static void start(Runnable body) {
        Thread thread = new Thread(body, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    String uri() {
        return "redis://127.0.0.1:" + listening.getLocalPort();
    }

    /** From now on no answer arrives. */
    void swallow() {
        swallowing = true;
    }

    /** From now on what the client sends arrives that much later. */
    void delay(Duration later) {
        delay = later;
    }

    /** How many bytes of answers did not arrive. */
    long swallowed() {
        return swallowed.get();
    }

    /** Breaks all connections. Those that come after them get their answers. */
    void disconnect() {
        swallowing = false;
        open.forEach(SwallowingProxy::close);
        open.clear();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                open.addAll(List.of(client, server));
                start(() -> copy(client, server, false));
                start(() -> copy(server, client, true));
            }
        } catch (IOException closed) {
            disconnect();
        }
    }

    private void copy(Socket from, Socket to, boolean answers) {
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            byte[] buffer = new byte[8_192];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (answers && swallowing) {
                    swallowed.addAndGet(read);
                } else {
                    if (!answers) {
                        LockSupport.parkNanos(delay.toNanos());
                    }
                    out.write(buffer, 0, read);
                    out.flush();
                }
            }
        } catch (IOException broken) {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        disconnect();
    }
}
