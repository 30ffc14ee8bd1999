package io.rowlock.autoconfigure.database;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** One address in front of several servers, that can be made to lead to another one, as a name or a virtual IP does. */
final class MovedAddress implements AutoCloseable {
    private final ServerSocket entrance;
    private volatile int target;

    MovedAddress(int target) throws IOException {
        this.target = target;
        entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    int port() {
        return entrance.getLocalPort();
    }

    void moveTo(int port) {
        target = port;
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                Socket client = entrance.accept();
                daemon(() -> connect(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void connect(Socket client) {
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            daemon(() -> copy(server, client));
            copy(client, server);
        } catch (IOException e) {
            close(client);
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void daemon(Runnable action) {
        Thread thread = new Thread(action, "moved-address");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
    }
}
