package io.rowlock.fault;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One connection between a program and its server. What is lost takes all with it that comes behind it in that direction, and what
 * is late holds up all behind it, as in TCP. Thread-safe: {@code this} guards the fields.
 */
final class RespWire implements Late {
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000);

    private enum Way {
        OPEN,
        LOST,
        HELD
    }

    private final Socket client;
    private final Socket server;
    private final RespProxy proxy;
    private final List<byte[]> heldRequests = new ArrayList<>();
    private final List<byte[]> heldMessages = new ArrayList<>();
    private Way toServer = Way.OPEN;
    private Way toClient = Way.OPEN;
    private int sent;
    private int answered;
    private boolean clientGone;

    /** What was sent behind it is lost, or its revocation would follow it on the same connection. */
    private byte[] lastRequest;

    /** The connection ends when the server has answered so many requests. */
    private int last = Integer.MAX_VALUE;

    RespWire(Socket client, Socket server, RespProxy proxy) {
        this.client = client;
        this.server = server;
        this.proxy = proxy;
    }

    private static DataInputStream in(Socket socket) throws IOException {
        return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    void carryRequests() {
        try {
            DataInputStream in = in(client);
            for (RespValue value = RespValue.read(in); value != null; value = RespValue.read(in)) {
                request(value);
            }
        } catch (IOException e) {
            // the connection has ended, one way or the other
        }
        clientIsGone();
    }

    private void request(RespValue value) throws IOException {
        Fault fault = proxy.next(RedisRequest.command(value));
        if (fault == Fault.SERVER_PAUSED) {
            proxy.pause();
        } else if (fault == Fault.SESSION_KILLED_BEFORE) {
            close();
            return;
        }
        synchronized (this) {
            if (toServer == Way.OPEN && fault == Fault.REQUEST_LATE) {
                toServer = Way.HELD;
                proxy.plan().late(this);
            } else if (toServer == Way.OPEN && fault == Fault.REQUEST_LAST) {
                toServer = Way.HELD;
                lastRequest = value.bytes();
                proxy.plan().last(this);
            } else if (fault == Fault.REQUEST_LOST) {
                toServer = Way.LOST;
                toClient = Way.LOST;
            }
            if (fault == Fault.ANSWER_LOST) {
                toClient = Way.LOST;
            } else if (fault == Fault.SESSION_KILLED_AFTER) {
                toClient = Way.LOST;
                last = sent + 1;
            }
            if (toServer == Way.OPEN) {
                send(value.bytes());
            } else if (toServer == Way.HELD && (lastRequest == null || lastRequest == value.bytes())) {
                heldRequests.add(value.bytes());
            }
        }
    }

    private synchronized void send(byte[] request) throws IOException {
        sent++;
        server.getOutputStream().write(request);
    }

    void carryAnswers() {
        try {
            DataInputStream in = in(server);
            for (RespValue value = RespValue.read(in); value != null; value = RespValue.read(in)) {
                answer(value);
            }
        } catch (IOException e) {
            // the connection has ended, one way or the other
        }
        close();
    }

    private void answer(RespValue value) {
        Fault fault = value.isMessage() ? proxy.next(RedisRequest.message(value)) : null;
        synchronized (this) {
            answered += value.isPush() ? 0 : 1;
            notifyAll();
            if (fault == Fault.SESSION_KILLED_BEFORE || answered >= last) {
                close();
                return;
            }
            if (toClient == Way.OPEN && fault == Fault.MESSAGE_LATE) {
                toClient = Way.HELD;
                proxy.plan().late(this);
            }
            if (toClient == Way.HELD) {
                heldMessages.add(value.bytes());
            } else if (toClient == Way.OPEN && fault != Fault.MESSAGE_LOST) {
                tellClient(value.bytes());
            }
        }
    }

    private void tellClient(byte[] bytes) {
        try {
            client.getOutputStream().write(bytes);
        } catch (IOException e) {
            close(client); // the server's answers are read to the end all the same
        }
    }

    /** What was held up goes on, on the connection it was sent to; if the client is gone, that ends then. */
    @Override
    public void deliver() {
        boolean unheard;
        synchronized (this) {
            if (toServer == Way.HELD) {
                toServer = Way.OPEN;
                heldRequests.forEach(this::sendLate);
            }
            if (toClient == Way.HELD) {
                toClient = Way.OPEN;
                heldMessages.forEach(this::tellClient);
            }
            unheard = clientGone;
        }
        if (unheard) {
            awaitAnswers();
            close(server);
        }
    }

    private void sendLate(byte[] request) {
        try {
            send(request);
        } catch (IOException e) {
            // the server has ended the session meanwhile
        }
    }

    void hangUp() {
        close(client);
    }

    private void clientIsGone() {
        boolean held;
        synchronized (this) {
            clientGone = true;
            held = toServer == Way.HELD;
        }
        close(client);
        if (!held) {
            awaitAnswers();
            close(server);
        }
    }

    /** What has been sent is carried out, though no client hears of it. */
    private synchronized void awaitAnswers() {
        long end = System.nanoTime() + ANSWER_NANOS;
        try {
            for (long left = ANSWER_NANOS; left > 0 && answered < sent; left = end - System.nanoTime()) {
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
