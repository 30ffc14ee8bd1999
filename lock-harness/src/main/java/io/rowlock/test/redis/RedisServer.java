package io.rowlock.test.redis;

import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Redis server for tests: the one that {@value #VARIABLE} names, else a {@code redis-server} of this machine (or the
 * program that {@value #PROGRAM_VARIABLE} names), else one in
 * Docker. The last two keep nothing on disk and end with the JVM. Thread-safe.
 */
public final class RedisServer {
    /** The environment variable that names a server to use, for example {@code redis://localhost:6379}. */
    public static final String VARIABLE = "ROWLOCK_TEST_REDIS_URL";

    /**
     * The environment variable that names the program of servers that tests start, for example that of another version or of Valkey;
     * else it is the {@code redis-server} on the path.
     */
    public static final String PROGRAM_VARIABLE = "ROWLOCK_TEST_REDIS_SERVER";

    private static final Logger log = LoggerFactory.getLogger(RedisServer.class);

    private final String host;
    private final int port;
    private final String description;
    private volatile @Nullable LocalRedis process;

    private RedisServer(String host, int port, String description, @Nullable LocalRedis process) {
        this.host = host;
        this.port = port;
        this.description = description;
        this.process = process;
    }

    /** Looks for a server once a JVM. */
    private static final class Shared {
        private static final @Nullable RedisServer SERVER;
        private static final String EXPLANATION;

        static {
            RedisServer found = null;
            String why = "";
            try {
                found = search();
                log.info("Tests run on {}", found);
            } catch (IOException e) {
                why = "No Redis for tests: %s. Set %s=redis://host:port, install redis-server or start Docker."
                        .formatted(e.getMessage(), VARIABLE);
                log.warn("{} Its tests are skipped.", why);
            }
            SERVER = found;
            EXPLANATION = why;
        }
    }

    private static RedisServer search() throws IOException {
        String url = System.getenv(VARIABLE);
        if (url != null && !url.isBlank()) {
            URI uri = URI.create(url);
            return new RedisServer(uri.getHost(), uri.getPort() < 0 ? 6379 : uri.getPort(), url, null);
        }
        if (LocalRedis.isInstalled()) {
            return start();
        }
        DockerRedis container = DockerRedis.start();
        return new RedisServer(container.host(), container.port(), "Redis in Docker", null);
    }

    /**
     * The server that all tests of this JVM share.
     *
     * @return it, or empty if there is none
     */
    public static Optional<RedisServer> find() {
        return Optional.ofNullable(Shared.SERVER);
    }

    /** @return why there is no server and how to provide one; empty if there is one */
    static String explanation() {
        return Shared.EXPLANATION;
    }

    /**
     * Starts a server of this machine for one test, which may do with it as it likes.
     *
     * @param options of {@code redis-server}, each with two hyphens, and their values; the first may be the path of a configuration file
     * @return the server, to be stopped
     * @throws IOException if it did not start
     */
    public static RedisServer start(String... options) throws IOException {
        LocalRedis process = LocalRedis.start(options);
        return new RedisServer("127.0.0.1", process.port(), "redis-server at port " + process.port(), process);
    }

    /** @return where it listens */
    public String host() {
        return host;
    }

    /** @return where it listens */
    public int port() {
        return port;
    }

    /** @return its address as clients take it */
    public String uri() {
        return "redis://%s:%d".formatted(host, port);
    }

    /**
     * The operating system's number of a server that {@link #start} has started.
     *
     * @return the process id
     * @throws IllegalStateException if it was not started like that
     */
    public long pid() {
        return process().pid();
    }

    /** Stops a server that {@link #start} has started, at once. */
    public void stop() {
        process().stop();
    }

    /**
     * Starts a server again that {@link #start} has started and that has ended: at its port, with its options and with what it has
     * kept on disk.
     *
     * @throws IOException if it did not start
     */
    public void startAgain() throws IOException {
        process = process().again();
    }

    private LocalRedis process() {
        LocalRedis started = process;
        if (started == null) {
            throw new IllegalStateException(this + " was not started by this test");
        }
        return started;
    }

    @Override
    public String toString() {
        return description;
    }
}
