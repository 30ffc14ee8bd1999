package io.rowlock.fault;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One connection between a client and its server. The protocol is half-duplex: all that the server sends between two
 * requests answers the first of them. Thread-safe.
 */
final class Wire implements Late {
    /** Ends what a pool does to set a connection up, and says whose it is; what comes later is counted. */
    private static final Pattern READY = Pattern.compile(".*/\\* run (\\w+) \\*/.*");

    private static final Pattern KILL = Pattern.compile("KILL QUERY (\\d+)");

    private static final int QUERY_ATTRIBUTES = 1 << 27;
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(3);

    private enum State {
        OPEN,
        /** What the client sends is lost. */
        CUT,
        /** What the server sends is lost. */
        UNHEARD,
        /** A request is held up. */
        HELD,
        /** The session is killed as soon as the server answers. */
        DOOMED
    }

    private final Socket client;
    private final Socket server;
    private final FaultProxy proxy;
    private final Map<Integer, String> prepared = new ConcurrentHashMap<>();
    private final List<Packet> lastWords = new ArrayList<>();
    private boolean attributes;
    private volatile FaultPlan plan;
    private volatile long session;
    private volatile String preparing;

    private State state = State.OPEN;
    private Packet held;
    private boolean answered;
    private boolean clientGone;
    private boolean serverGone;

    Wire(Socket client, Socket server, FaultProxy proxy) {
        this.client = client;
        this.server = server;
        this.proxy = proxy;
    }

    /** What a session of that run begins with. */
    static String marker(String run) {
        return " /* run " + run + " */";
    }

    long session() {
        return session;
    }

    /** What its requests are to meet, or null if its owner is not known yet. */
    FaultPlan plan() {
        return plan;
    }

    private static DataInputStream in(Socket socket) throws IOException {
        return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    void carryRequests() {
        try {
            DataInputStream in = in(client);
            for (Packet packet = Packet.read(in); packet != null; packet = Packet.read(in)) {
                if (packet.sequence() == 0) {
                    request(packet);
                } else {
                    attributes |= packet.sequence() == 1 && plan == null && speaksAttributes(packet);
                    packet.write(server.getOutputStream());
                }
            }
        } catch (IOException e) {
            // the connection has ended, one way or the other
        }
        clientIsGone();
    }

    private static boolean speaksAttributes(Packet handshake) {
        return handshake.length() >= 4 && (handshake.number(0, 4) & QUERY_ATTRIBUTES) != 0;
    }

    private void request(Packet packet) throws IOException {
        SqlRequest request = named(packet);
        Fault fault = next(request);
        synchronized (this) {
            if (state != State.OPEN) {
                return;
            }
            state = fault == null ? State.OPEN : after(fault);
            held = state == State.HELD ? packet : null;
            answered = false;
        }
        preparing = request.kind() == SqlRequest.Kind.PREPARE ? request.sql() : null;
        if (fault == Fault.REQUEST_LATE) {
            plan.late(this);
        } else if (fault == Fault.SESSION_KILLED_BEFORE) {
            proxy.kill(session);
            await(() -> serverGone, END_NANOS);
        } else if (fault != Fault.REQUEST_LOST) {
            packet.write(server.getOutputStream());
        }
    }

    private Fault next(SqlRequest request) {
        if (plan != null) {
            return request.kind() == SqlRequest.Kind.OTHER ? null : plan.next(request);
        }
        Matcher kill = KILL.matcher(request.sql());
        if (kill.matches()) {
            plan = proxy.planOf(Long.parseLong(kill.group(1)));
            return plan == null ? null : plan.next(request);
        }
        Matcher ready = READY.matcher(request.sql());
        plan = ready.matches() ? proxy.plan(ready.group(1)) : null;
        return null;
    }

    private static State after(Fault fault) {
        return switch (fault) {
            case REQUEST_LOST -> State.CUT;
            case ANSWER_LOST -> State.UNHEARD;
            case REQUEST_LATE -> State.HELD;
            case SESSION_KILLED_BEFORE -> State.OPEN;
            case SESSION_KILLED_AFTER -> State.DOOMED;
            case REQUEST_LAST, SERVER_PAUSED, MESSAGE_LOST, MESSAGE_LATE ->
                throw new IllegalArgumentException(fault + " cannot happen here");
        };
    }

    private SqlRequest named(Packet packet) {
        SqlRequest.Kind kind = SqlRequest.Kind.of(packet);
        return switch (kind) {
            case QUERY -> SqlRequest.of(kind, packet.text(attributes ? 3 : 1));
            case PREPARE -> SqlRequest.of(kind, packet.text(1));
            case EXECUTE -> SqlRequest.of(kind, prepared.getOrDefault(packet.number(1, 4), "?"));
            case OTHER -> SqlRequest.of(kind, "");
        };
    }

    void carryAnswers() {
        try {
            DataInputStream in = in(server);
            for (Packet packet = Packet.read(in); packet != null; packet = Packet.read(in)) {
                answer(packet);
            }
        } catch (IOException e) {
            // the connection has ended, one way or the other
        }
        serverIsGone();
    }

    private void answer(Packet packet) {
        if (session == 0) {
            session = packet.number(packet.zero(1) + 1, 4); // after the protocol's and the server's version
        } else if (preparing != null && packet.kind() == 0) {
            prepared.put(packet.number(1, 4), preparing);
        }
        preparing = null;
        State now;
        boolean first;
        synchronized (this) {
            now = state;
            first = !answered;
            answered = true;
            notifyAll();
        }
        if (now == State.DOOMED) {
            lastWords.add(packet);
            if (first) {
                proxy.kill(session);
            }
        } else if (now == State.OPEN) {
            tellClient(packet);
        }
    }

    private void tellClient(Packet packet) {
        try {
            packet.write(client.getOutputStream());
        } catch (IOException e) {
            close(client); // the server's answers are read to the end all the same
        }
    }

    /** The request that was held up reaches the server, on the session it was sent to; if the client is gone, that ends then. */
    @Override
    public void deliver() {
        Packet request;
        boolean unheard;
        synchronized (this) {
            request = held;
            held = null;
            unheard = clientGone;
            state = unheard ? State.UNHEARD : State.OPEN;
        }
        try {
            request.write(server.getOutputStream());
        } catch (IOException e) {
            // the server has ended the session meanwhile
        }
        if (unheard) {
            await(() -> answered || serverGone, ANSWER_NANOS);
            close(server);
        }
    }

    private void clientIsGone() {
        State now;
        synchronized (this) {
            clientGone = true;
            now = state;
        }
        if (now == State.UNHEARD || now == State.DOOMED) {
            await(() -> answered || serverGone, ANSWER_NANOS);
        }
        if (now != State.HELD) {
            close(server);
        }
        close(client);
    }

    private void serverIsGone() {
        State now;
        synchronized (this) {
            serverGone = true;
            now = state;
            notifyAll();
        }
        if (now == State.DOOMED) {
            lastWords.forEach(this::tellClient);
        }
        if (now == State.OPEN || now == State.DOOMED) {
            close(client);
        }
    }

    private interface Condition {
        boolean holds();
    }

    private synchronized void await(Condition condition, long nanos) {
        long end = System.nanoTime() + nanos;
        try {
            for (long left = nanos; left > 0 && !condition.holds(); left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void close() {
        close(client);
        close(server);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // closed
        }
    }
}
