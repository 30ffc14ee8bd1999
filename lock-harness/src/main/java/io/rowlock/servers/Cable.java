package io.rowlock.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A network between a store and its server, which can be cut: neither end is notified, and nothing arrives any more. */
public final class Cable implements AutoCloseable {
    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Wire> wires = new CopyOnWriteArrayList<>();
    private final String host;
    private final int port;
    private final String url;
    private volatile boolean cut;
    private volatile boolean down;

    /** @param url leads to the server */
    public Cable(String url) throws IOException {
        URI server = URI.create(url.substring("jdbc:".length()));
        host = server.getHost();
        port = server.getPort() < 0 ? 3306 : server.getPort();
        this.url = url.replace(server.getAuthority(), "127.0.0.1:" + entrance.getLocalPort());
        start(this::accept);
    }

    /** @return leads to the server through the cable */
    public String url() {
        return url;
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = entrance.accept();
            if (down) {
                client.close();
                continue;
            }
            Wire wire = new Wire(client, new Socket(host, port));
            wires.add(wire);
            if (down) {
                wire.end();
            }
            start(() -> wire.carry(wire.client, wire.server));
            start(() -> wire.carry(wire.server, wire.client));
        }
    }

    /** Cuts all connections, and those made later. */
    public void cut() {
        cut = true;
    }

    /** Cuts the connection that was made first, and only that. */
    public void cutFirst() {
        wires.get(0).cut = true;
    }

    /** Ends all connections at once, as the end of a process does. */
    public void end() throws IOException {
        for (Wire wire : wires) {
            wire.end();
        }
    }

    /** Ends all connections at once, and new ones as soon as they are made, as a server that is restarted. */
    public void down() throws IOException {
        down = true;
        end();
    }

    /** After {@link #down}: from now on connections can be made again. */
    public void up() {
        down = false;
    }

    /** Ends all connections at once and refuses new ones, as a server that is down does. */
    public void refuse() throws IOException {
        close();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
        end();
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private final class Wire {
        private final Socket client;
        private final Socket server;
        private volatile boolean cut;

        Wire(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void end() throws IOException {
            client.close();
            server.close();
        }

        void carry(Socket from, Socket to) throws IOException {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8_192];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                if (!cut && !Cable.this.cut) {
                    out.write(bytes, 0, length);
                    out.flush();
                }
            }
            if (!cut && !Cable.this.cut) {
                from.close();
                to.close();
            }
        }
    }
}
