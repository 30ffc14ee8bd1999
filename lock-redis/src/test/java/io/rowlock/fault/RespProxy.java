package io.rowlock.fault;

import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The network between the subject of one run and its server. It lets each request and message meet what the plan has for it. */
final class RespProxy implements AutoCloseable {
    private final ServerSocket entrance = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<RespWire> wires = ConcurrentHashMap.newKeySet();
    private final RedisServer server;
    private final FaultPlan plan;
    private final Runnable pause;
    private volatile boolean connected;

    /** @param pause makes the server stand still for a moment */
    RespProxy(RedisServer server, FaultPlan plan, Runnable pause) throws IOException {
        this.server = server;
        this.plan = plan;
        this.pause = pause;
        start("accept", this::accept);
    }

    String uri() {
        return "redis://127.0.0.1:" + entrance.getLocalPort();
    }

    /** The subject has connected: what comes from now on is counted. */
    void begin() {
        connected = true;
    }

    FaultPlan plan() {
        return plan;
    }

    /** @return what the request meets, or null */
    Fault next(RedisRequest request) {
        return connected ? plan.next(request) : null;
    }

    void pause() {
        pause.run();
    }

    /** The subject's connections are gone. The server has not noticed it where a request is held up. */
    void hangUp() {
        wires.forEach(RespWire::hangUp);
    }

    private void accept() {
        while (!entrance.isClosed()) {
            try {
                connect(entrance.accept());
            } catch (IOException e) {
                // closed, or a client that has gone already; the next one may come
            }
        }
    }

    private void connect(Socket client) throws IOException {
        RespWire wire = new RespWire(quick(client), quick(new Socket(server.host(), server.port())), this);
        wires.add(wire);
        start("requests", wire::carryRequests);
        start("answers", () -> {
            wire.carryAnswers();
            wires.remove(wire);
        });
    }

    private static Socket quick(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void start(String what, Runnable work) {
        Thread thread = new Thread(work, "resp-proxy-" + what);
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
        wires.forEach(RespWire::close);
    }
}
