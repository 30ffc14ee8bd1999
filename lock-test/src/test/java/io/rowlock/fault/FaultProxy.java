package io.rowlock.fault;

import io.rowlock.test.TestSchema;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

/**
 * The network between one program and its server. It sees each request, counts it, and lets it meet the fault that a
 * {@link FaultPlan} has for it. Encryption and compression must be off.
 */
final class FaultProxy implements AutoCloseable {
    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Wire> wires = new CopyOnWriteArrayList<>();
    private final URI server;
    private final FaultPlan plan;
    private final LongConsumer killer;
    private final TestSchema schema;

    /**
     * @param real leads to the server
     * @param killer kills a session of the server
     */
    FaultProxy(TestSchema real, FaultPlan plan, LongConsumer killer) throws IOException {
        this.server = URI.create(real.jdbcUrl().substring("jdbc:".length()));
        this.plan = plan;
        this.killer = killer;
        String url = real.jdbcUrl().replace(server.getAuthority(), "127.0.0.1:" + entrance.getLocalPort());
        this.schema = new TestSchema(real.name(), url, real.username(), real.password());
        start("accept", this::accept);
    }

    /** @return leads to the server through the proxy */
    TestSchema schema() {
        return schema;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                Wire wire = new Wire(quick(client), quick(new Socket(server.getHost(), port())), plan, killer);
                wires.add(wire);
                start("requests", wire::carryRequests);
                start("answers", wire::carryAnswers);
            }
        } catch (IOException e) {
            wires.forEach(Wire::close);
        }
    }

    private int port() {
        return server.getPort() < 0 ? 3306 : server.getPort();
    }

    private static Socket quick(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void start(String what, Runnable work) {
        Thread thread = new Thread(work, "fault-proxy-" + what);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            entrance.close();
        } catch (IOException e) {
            // nobody can connect any more either way
        }
        wires.forEach(Wire::close);
    }
}
