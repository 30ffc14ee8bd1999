package io.rowlock.fault;

import io.rowlock.test.database.TestSchema;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

/**
 * The network between programs and their server. It sees each request, counts it for the run its session belongs to, and
 * lets it meet the fault that run's {@link FaultPlan} has for it. Encryption and compression must be off. Thread-safe.
 */
final class FaultProxy implements AutoCloseable {
    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
    private final Map<String, FaultPlan> plans = new ConcurrentHashMap<>();
    private final URI server;
    private final LongConsumer killer;
    private final TestSchema schema;

    /**
     * @param real leads to the server
     * @param killer kills a session of the server
     */
    FaultProxy(TestSchema real, LongConsumer killer) throws IOException {
        this.server = URI.create(real.jdbcUrl().substring("jdbc:".length()));
        this.killer = killer;
        String url = real.jdbcUrl().replace(server.getAuthority(), "127.0.0.1:" + entrance.getLocalPort());
        this.schema = new TestSchema(real.name(), url, real.username(), real.password());
        start("accept", this::accept);
    }

    /** @return leads to the server through the proxy */
    TestSchema schema() {
        return schema;
    }

    /** A run begins. @return what its sessions have to begin with */
    String begin(String run, FaultPlan plan) {
        plans.put(run, plan);
        return Wire.marker(run);
    }

    /** A run is over, and so are its connections. */
    void end(String run, FaultPlan plan) {
        plans.remove(run);
        wires.stream().filter(wire -> wire.plan() == plan).forEach(Wire::close);
    }

    FaultPlan plan(String run) {
        return plans.get(run);
    }

    FaultPlan planOf(long session) {
        return wires.stream()
                .filter(wire -> wire.session() == session && wire.plan() != null)
                .map(Wire::plan)
                .findFirst()
                .orElse(null);
    }

    void kill(long session) {
        killer.accept(session);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entrance.accept();
                int port = server.getPort() < 0 ? 3306 : server.getPort();
                Wire wire = new Wire(quick(client), quick(new Socket(server.getHost(), port)), this);
                wires.add(wire);
                start("requests", wire::carryRequests);
                start("answers", () -> {
                    wire.carryAnswers();
                    wires.remove(wire);
                });
            }
        } catch (IOException e) {
            wires.forEach(Wire::close);
        }
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
            // no client can connect any more either way
        }
        wires.forEach(Wire::close);
    }
}
