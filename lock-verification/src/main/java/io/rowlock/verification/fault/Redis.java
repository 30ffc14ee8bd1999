package io.rowlock.verification.fault;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** A {@code redis-server} that writes each change to its disk before it answers, so that a kill loses nothing. */
public final class Redis extends Server {
    private final Path directory;
    private final int port;
    private volatile Process process;

    public Redis(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.port = socket.getLocalPort();
        }
        this.process = started();
        awaitConnection();
    }

    private Process started() throws IOException {
        Process redis = new ProcessBuilder(
                        "redis-server",
                        "--port",
                        Integer.toString(port),
                        "--bind",
                        "127.0.0.1",
                        "--save",
                        "",
                        "--appendonly",
                        "yes",
                        "--appendfsync",
                        "always",
                        "--dir",
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(redis::destroyForcibly));
        return redis;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    long pid() {
        return process.pid();
    }

    @Override
    void launch() throws IOException {
        process = started();
    }

    /** Sends a command, and does not look at its answer. */
    public String command(String text) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(2_000);
            socket.getOutputStream().write((text + "\r\n").getBytes(US_ASCII));
            byte[] answer = new byte[8_192];
            int length = socket.getInputStream().read(answer);
            return length < 0 ? "" : new String(answer, 0, length, US_ASCII);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
