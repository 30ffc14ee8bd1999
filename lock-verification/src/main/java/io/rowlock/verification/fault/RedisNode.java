package io.rowlock.verification.fault;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rowlock.test.redis.RedisServer;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A {@code redis-server}. */
final class RedisNode extends Server {
    private static final int PATIENCE_MILLIS = 2_000;
    private static final int LOOK_MILLIS = 200;

    private final RedisServer server;

    /** The answer of a node about itself. */
    enum Role {
        LEADS,
        FOLLOWS,
        SILENT
    }

    RedisNode(RedisServer server) {
        this.server = server;
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    long pid() {
        return server.pid();
    }

    @Override
    void kill() {
        server.stop();
    }

    @Override
    void launch() throws IOException {
        server.startAgain();
    }

    Role role() {
        try {
            String answer = answer("INFO replication", LOOK_MILLIS);
            if (answer.contains("role:master")) {
                return Role.LEADS;
            }
            return answer.contains("role:slave") ? Role.FOLLOWS : Role.SILENT;
        } catch (IOException e) {
            return Role.SILENT;
        }
    }

    /** Returns true if it has all that its leader has, but for the last moment. */
    boolean isInSync() {
        try {
            String answer = answer("INFO replication", LOOK_MILLIS);
            return answer.contains("role:slave") && answer.contains("master_link_status:up");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * @return the answer; parts of a list with blanks between them
     * @throws IOException also if it is an error
     */
    String command(String text) throws IOException {
        return answer(text, PATIENCE_MILLIS);
    }

    private String answer(String text, int millis) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()), millis);
            socket.setSoTimeout(millis);
            socket.getOutputStream().write((text + "\r\n").getBytes(US_ASCII));
            return answer(new BufferedInputStream(socket.getInputStream()), text);
        }
    }

    private static String answer(InputStream in, String text) throws IOException {
        String line = line(in);
        String rest = line.substring(Math.min(1, line.length()));
        if (line.isEmpty() || line.startsWith("-")) {
            throw new IOException("Redis answers to %s: %s".formatted(text, rest));
        }
        return switch (line.charAt(0)) {
            case '$' -> bytes(in, Integer.parseInt(rest));
            case '*' -> {
                List<String> parts = new ArrayList<>();
                for (int i = 0; i < Integer.parseInt(rest); i++) {
                    parts.add(answer(in, text));
                }
                yield String.join(" ", parts);
            }
            default -> rest;
        };
    }

    private static String bytes(InputStream in, int length) throws IOException {
        if (length < 0) {
            return "";
        }
        String text = new String(in.readNBytes(length), US_ASCII);
        line(in);
        return text;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    @Override
    public void close() {
        server.stop();
    }
}
