package io.rowlock.benchmark.server;

import io.rowlock.test.embedded.FreePort;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server without persistence: one that was named, or {@code redis-server} from the path, or an embedded one. What
 * is started here listens on a free port of the loopback address and ends with this object.
 */
public final class RedisServer implements AutoCloseable {
    private static final List<String> WITHOUT_PERSISTENCE = List.of("--save", "", "--appendonly", "no");

    private final String url;
    private final String origin;
    private final Stop stop;

    private RedisServer(String url, String origin, Stop stop) {
        this.url = url;
        this.origin = origin;
        this.stop = stop;
    }

    @FunctionalInterface
    private interface Stop {
        void run() throws IOException;
    }

    /**
     * @param url a running server, or null
     * @return a server, or empty if none could be started
     */
    public static Optional<RedisServer> find(@Nullable String url) {
        if (url != null) {
            return Optional.of(new RedisServer(url, "a server that was named", () -> {}));
        }
        try {
            Optional<Path> executable = executable();
            return Optional.of(executable.isPresent() ? start(executable.get()) : embedded());
        } catch (IOException | RuntimeException e) {
            System.out.println("No Redis server could be started: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static Optional<Path> executable() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static RedisServer start(Path executable) throws IOException {
        int port = FreePort.find();
        ProcessBuilder builder = new ProcessBuilder(executable.toString(), "--port", Integer.toString(port));
        builder.command().addAll(List.of("--bind", "127.0.0.1"));
        builder.command().addAll(WITHOUT_PERSISTENCE);
        Process process = builder.redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        awaitPort(port);
        return new RedisServer(
                "redis://127.0.0.1:" + port, "redis-server on the path, without persistence", process::destroy);
    }

    private static RedisServer embedded() throws IOException {
        int port = FreePort.find();
        redis.embedded.RedisServer server = redis.embedded.RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .setting("appendonly no")
                .build();
        server.start();
        return new RedisServer("redis://127.0.0.1:" + port, "embedded, without persistence", server::stop);
    }

    private static void awaitPort(int port) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
                return;
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Redis started", e);
        }
    }

    /** @return {@code redis://host:port} */
    public String url() {
        return url;
    }

    /** @return where it came from, for people to read */
    public String origin() {
        return origin;
    }

    @Override
    public void close() throws IOException {
        stop.run();
    }
}
