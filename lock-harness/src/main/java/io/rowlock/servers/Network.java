package io.rowlock.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * The network between one process and a server of this machine. What is cut off arrives after the cut, as with TCP, also if its sender
 * has closed the connection by then. Thread-safe.
 */
public final class Network implements AutoCloseable {
    private static final long LOOK = 5_000_000;

    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
    private volatile int server;
    private final IntFunction<Traffic> watch;
    private final AtomicReference<Late> late = new AtomicReference<>(Late.NONE);
    private volatile boolean open = true;
    private volatile long delay;
    private volatile boolean requestsCut;
    private volatile boolean answersCut;

    /** The fate of the next request. */
    private record Late(long nanos, boolean twice) {
        static final Late NONE = new Late(0, false);
    }

    /** Sees what passes over one connection, just before it does. */
    public interface Traffic {
        /** Of which nothing is to be seen. */
        Traffic UNSEEN = new Traffic() {};

        default void requested(byte[] bytes, int length) {}

        default void answered(byte[] bytes, int length) {}

        /** The client's side has ended: the server cannot know before. May be called more than once. */
        default void ends() {}
    }

    /**
     * @param server its port
     * @param watch of each connection, by the port of its client as the server sees it
     */
    public Network(int server, IntFunction<Traffic> watch) throws IOException {
        this.server = server;
        this.watch = watch;
        start(this::accept);
    }

    public int port() {
        return entrance.getLocalPort();
    }

    /** New connections lead to another server, as behind an address that moves. */
    public void move(int port) {
        server = port;
    }

    /** @return how many there are */
    public int connections() {
        return wires.size();
    }

    /** All that is under way from now on takes longer by that. */
    public void delay(long nanos) {
        delay = nanos;
    }

    /** Holds back what goes one way, or both ways. */
    public void cut(boolean requests, boolean answers) {
        requestsCut = requests;
        answersCut = answers;
    }

    /** Breaks all connections, at both ends. */
    public void reset() {
        wires.forEach(Wire::reset);
    }

    /** From now on nothing passes over the connections that there are, and no end learns of it. */
    public void forget() {
        wires.forEach(wire -> wire.forgotten = true);
    }

    /** The next request arrives that much later; if twice, its connection breaks before. */
    public void late(long nanos, boolean twice) {
        late.set(new Late(nanos, twice));
    }

    public void heal() {
        delay = 0;
        late.set(Late.NONE);
        cut(false, false);
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException e) {
                        // closed
                    }
                },
                "network");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() throws IOException {
        while (open) {
            Socket client = entrance.accept();
            start(() -> {
                Wire wire;
                try {
                    wire = new Wire(client, new Socket(InetAddress.getLoopbackAddress(), server));
                } catch (IOException e) {
                    client.close();
                    return;
                }
                wires.add(wire);
                start(wire::carryAnswers);
                wire.carryRequests();
            });
        }
    }

    private void pass(boolean requests) {
        if (delay > 0) {
            LockSupport.parkNanos(delay);
        }
        while (open && (requests ? requestsCut : answersCut)) {
            LockSupport.parkNanos(LOOK);
        }
    }

    @Override
    public void close() throws IOException {
        open = false;
        entrance.close();
        reset();
    }

    private final class Wire {
        private final Socket client;
        private final Socket server;
        private final Traffic traffic;
        volatile boolean forgotten;

        Wire(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            this.traffic = watch.apply(server.getLocalPort());
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        }

        void carryRequests() throws IOException {
            try {
                InputStream in = client.getInputStream();
                byte[] bytes = new byte[65_536];
                for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                    pass(true);
                    Late fault = late.getAndSet(Late.NONE);
                    if (fault.twice()) {
                        traffic.ends();
                        close(client);
                    }
                    if (fault.nanos() > 0) {
                        LockSupport.parkNanos(fault.nanos());
                    }
                    if (!forgotten) {
                        traffic.requested(bytes, length);
                        send(bytes, length, fault.twice());
                    }
                }
            } finally {
                traffic.ends();
                pass(true);
                end();
            }
        }

        private void send(byte[] bytes, int length, boolean twice) throws IOException {
            OutputStream out = server.getOutputStream();
            out.write(bytes, 0, length);
            if (twice) {
                out.write(bytes, 0, length);
                LockSupport.parkNanos(LOOK * 20); // else the server may find it closed before it looks at it
            }
        }

        void carryAnswers() throws IOException {
            try {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                byte[] bytes = new byte[65_536];
                for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                    pass(false);
                    if (!forgotten) {
                        traffic.answered(bytes, length);
                        out.write(bytes, 0, length);
                    }
                }
            } finally {
                if (!forgotten) {
                    pass(false);
                    close(client);
                }
            }
        }

        private void end() {
            wires.remove(this);
            close(client);
            close(server);
        }

        void reset() {
            traffic.ends();
            try {
                client.setSoLinger(true, 0);
                server.setSoLinger(true, 0);
            } catch (IOException e) {
                // closed already
            }
            end();
        }

        private static void close(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                // nothing passes it any more either way
            }
        }
    }
}
