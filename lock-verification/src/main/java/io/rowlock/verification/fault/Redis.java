package io.rowlock.verification.fault;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rowlock.test.redis.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** A {@code redis-server} that hands each change to the system before it answers, so that a kill loses nothing. */
public final class Redis extends Server {
    private final RedisServer server;

    public Redis(Path directory) throws IOException {
        server = RedisServer.start(
                "--appendonly",
                "yes",
                "--appendfsync",
                "no",
                "--dir",
                Files.createDirectories(directory).toString());
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

    /** @return the first line of the answer */
    public String command(String text) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port())) {
            socket.setSoTimeout(2_000);
            socket.getOutputStream().write((text + "\r\n").getBytes(US_ASCII));
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine();
            if (line == null) {
                throw new IOException("Redis has no answer to " + text);
            }
            return line;
        }
    }

    @Override
    public void close() {
        server.stop();
    }
}
