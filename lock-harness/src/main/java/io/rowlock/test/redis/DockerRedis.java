package io.rowlock.test.redis;

import io.rowlock.test.embedded.QuietLogger;
import java.io.IOException;
import org.springframework.util.ClassUtils;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

/**
 * A container that Testcontainers starts and, through its reaper, removes after the JVM has ended.
 *
 * @param host where it listens
 * @param port where it listens
 */
record DockerRedis(String host, int port) {
    private static final String IMAGE = "redis:7.2";

    static DockerRedis start() throws IOException {
        if (!ClassUtils.isPresent("org.testcontainers.DockerClientFactory", DockerRedis.class.getClassLoader())) {
            throw new IOException(
                    "redis-server is not installed, and Testcontainers is not on the class path (org.testcontainers:testcontainers)");
        }
        return Container.start();
    }

    /** Loaded only if Testcontainers is there. */
    private static final class Container {
        static DockerRedis start() throws IOException {
            if (!dockerAnswers()) {
                throw new IOException("redis-server is not installed, and Docker is not available");
            }
            GenericContainer<?> container = new GenericContainer<>(IMAGE).withExposedPorts(6379);
            try {
                container.start();
                return new DockerRedis(container.getHost(), container.getMappedPort(6379));
            } catch (RuntimeException e) {
                container.stop();
                throw new IOException("Docker could not start " + IMAGE + " (" + e + ")", e);
            }
        }

        private static boolean dockerAnswers() {
            try (QuietLogger quiet = QuietLogger.off("org.testcontainers")) {
                return DockerClientFactory.instance().isDockerAvailable();
            }
        }
    }
}
